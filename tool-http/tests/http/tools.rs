//! The tools that these tests serve.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tool_core::inject::{Inject, Injection, Needs};
use tool_core::{Context, Failure, FailureKind, Registry, State, ToolError, tool};

/// Returns a registry of all tools.
pub(crate) fn registry() -> Registry {
    registry_with(Progress::default())
}

/// Returns a registry of all tools with this state, to which waiting tools report.
pub(crate) fn registry_with(progress: Progress) -> Registry {
    Registry::builder()
        .linked()
        .select(|tool| tool.source().module == module_path!())
        .state(progress)
        .build()
        .unwrap()
}

/// How far the tools that wait have come.
#[derive(Clone)]
pub(crate) struct Progress(std::sync::Arc<Steps>);

struct Steps {
    started: Semaphore,
    released: Semaphore,
    dropped: Semaphore,
    finished: AtomicBool,
}

impl Default for Progress {
    fn default() -> Self {
        let none = || Semaphore::new(0);
        let finished = AtomicBool::new(false);
        Progress(std::sync::Arc::new(Steps { started: none(), released: none(), dropped: none(), finished }))
    }
}

impl Progress {
    /// Waits until a tool has started.
    pub(crate) async fn started(&self) {
        self.0.started.acquire().await.unwrap().forget();
    }

    /// Waits until a tool was dropped or has ended.
    pub(crate) async fn dropped(&self) {
        self.0.dropped.acquire().await.unwrap().forget();
    }

    /// Lets a tool continue.
    pub(crate) fn release(&self) {
        self.0.released.add_permits(1);
    }

    pub(crate) fn finished(&self) -> bool {
        self.0.finished.load(Ordering::SeqCst)
    }

    async fn go(&self) {
        struct OnDrop<'p>(&'p Semaphore);
        impl Drop for OnDrop<'_> {
            fn drop(&mut self) {
                self.0.add_permits(1);
            }
        }
        let _dropped = OnDrop(&self.0.dropped);
        self.0.started.add_permits(1);
        self.0.released.acquire().await.unwrap().forget();
        self.0.finished.store(true, Ordering::SeqCst);
    }
}

/// Adds two numbers.
#[tool(operation = Transform, open_world = false)]
fn add(
    /// First.
    a: i64,
    /// Second.
    #[arg(default = 5, example = 7)]
    b: i64,
) -> i64 {
    a + b
}

/// A city with its number of inhabitants.
#[derive(Serialize, Deserialize, JsonSchema)]
struct City {
    name: String,
    inhabitants: u64,
}

/// The largest city.
#[tool(operation = Read, title = "Largest city", open_world = false)]
fn city() -> City {
    City { name: "Tōkyō".to_owned(), inhabitants: 9_007_199_254_740_993 }
}

/// Repeats a text.
#[tool(operation = Transform, open_world = false)]
fn echo(
    /// The text.
    text: Option<String>,
    /// Whether it is repeated in capitals.
    #[arg(default)]
    loud: bool,
    /// Told apart from nothing when it is `null`.
    note: Option<Option<String>>,
) -> String {
    let text = text.unwrap_or_else(|| "nothing".to_owned());
    let text = if loud { text.to_uppercase() } else { text };
    format!("{text} {note:?}")
}

/// Does nothing.
#[tool(operation = Explain, name = "no.thing", open_world = false)]
fn nothing() {}

/// Small numbers.
#[tool(operation = Transform, open_world = false)]
fn small(#[arg(default)] n: u8, #[arg(default)] big: u64) -> String {
    format!("{n} {big}")
}

/// Fails as it is told.
#[tool(operation = Read, open_world = false)]
fn fail(how: String) -> Result<String, ToolError> {
    Err(match how.as_str() {
        "not found" => ToolError::not_found("there is no such thing"),
        "conflict" => ToolError::conflict("it is sold"),
        "unavailable" => ToolError::unavailable("the store is down"),
        _ => ToolError::failed("it rains"),
    })
}

/// Panics.
#[tool(operation = Read, open_world = false)]
fn panics() -> String {
    panic!("the password is swordfish")
}

/// What is never to be had.
struct Never<const KIND: u8>;

impl<Op, const KIND: u8> Inject<Op> for Never<KIND> {
    fn needs(_: &mut Needs) {}

    fn inject(_: &Injection<'_, Op>) -> Result<Self, Failure> {
        Err(match KIND {
            0 => Failure::new(FailureKind::Busy, "too many calls at once"),
            1 => Failure::new(FailureKind::Denied, "you may not"),
            2 => Failure::new(FailureKind::Unmet, "no key is configured"),
            _ => Failure::new(FailureKind::Timeout, "it took too long"),
        })
    }
}

/// Is never free.
#[tool(operation = Read, open_world = false)]
fn busy(#[inject] _never: Never<0>) {}

/// Is never allowed.
#[tool(operation = Read, open_world = false)]
fn denied(#[inject] _never: Never<1>) {}

/// Is never configured.
#[tool(operation = Read, open_world = false)]
fn unmet(#[inject] _never: Never<2>) {}

/// Never comes in time.
#[tool(operation = Read, open_world = false)]
fn late(#[inject] _never: Never<3>) {}

/// Reads and waits.
#[tool(operation = Read, open_world = false)]
async fn wait_reading(#[inject] progress: State<Progress>) -> String {
    progress.go().await;
    "read".to_owned()
}

/// Writes and waits.
#[tool(operation = Write, destructive = true, open_world = false)]
async fn wait_writing(#[inject] progress: State<Progress>, #[inject] context: Context) -> String {
    context.progress(1, 2, "writing");
    progress.go().await;
    format!("written by {}", context.tool())
}
