//! The tools that the tests run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tool_cli::App;
use tool_core::{Content, Context, Registry, State, ToolError, tool};

/// What happened in the tools.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// A call has begun that ends in its own time.
    pub(crate) begun: Notify,
    recorded: AtomicUsize,
    purged: AtomicUsize,
    dropped: AtomicUsize,
}

impl Events {
    pub(crate) fn recorded(&self) -> usize {
        self.recorded.load(Ordering::SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }

    pub(crate) fn purged(&self) -> usize {
        self.purged.load(Ordering::SeqCst)
    }
}

pub(crate) fn app() -> App {
    app_with(&Arc::default())
}

pub(crate) fn app_with(events: &Arc<Events>) -> App {
    let registry = Registry::builder()
        .linked()
        .select(|tool| tool.source().module == module_path!())
        .shared_state(Arc::clone(events))
        .build()
        .unwrap();
    App::new("demo", registry).version("1.2.3").about("A demonstration")
}

/// Adds two numbers.
#[tool(operation = Transform, open_world = false)]
fn add(
    /** First. */
    a: i64,
    #[arg(default = 5, example = 7)]
    /** Second. */
    b: i64,
) -> i64 {
    a + b
}

/// Greets somebody.
#[tool(operation = Read, open_world = false)]
fn greet(
    /** Who. */
    name: String,
) -> String {
    format!("Good morning, {name}")
}

/// Tells nothing, in a description that is long enough for two lines on a narrow page and even for three of them.
#[tool(operation = Explain, open_world = false)]
fn nothing() {}

/// Shows blocks.
#[tool(operation = Read)]
fn blocks() -> Vec<Content> {
    vec![
        Content::text("first"),
        Content::image([1, 2, 3], "image/png"),
        Content::link("file:///r.pdf", "report"),
        Content::resource("file:///a.txt", "text/plain", "in full"),
        Content::resource("file:///a.png", "image/png", vec![1, 2]),
    ]
}

/// What a number is repeated as.
#[derive(Serialize, JsonSchema)]
struct Digits {
    #[serde(skip_serializing_if = "Option::is_none")]
    integer: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
}

/// Repeats a number with all of its digits.
#[tool(operation = Transform)]
fn digits(
    /** One. */
    integer: Option<u64>,
    /** Another. */
    float: Option<f64>,
) -> Digits {
    Digits { integer, float }
}

/// Weather.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sky {
    /// It rains.
    Rain,
    /// It shines.
    Sun,
}

/// A place.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    /// Its name.
    name: String,
    /// Its floor.
    floor: Option<i8>,
}

/// A number or a name.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Name(String),
    Number(i64),
}

/// What is made of parts.
#[derive(Serialize, JsonSchema)]
struct Parts {
    /// The sky again.
    sky: Sky,
    places: Vec<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
}

/// Repeats what is made of parts.
#[tool(operation = Transform, open_world = false, title = "Repeat parts")]
fn parts(
    /// The sky.
    #[arg(example = "rain")]
    sky: Sky,
    /// Where.
    places: Vec<Place>,
    /// By name.
    limits: Option<BTreeMap<String, f64>>,
    /// Number or name.
    id: Option<Id>,
    /// A percentage.
    #[arg(default = 50, example = 25)]
    share: u8,
) -> Parts {
    let _ = share;
    Parts { sky, places, limits, id }
}

/// Fails.
#[tool(operation = Read)]
fn locked() -> Result<String, ToolError> {
    Err(ToolError::conflict("the archive is locked"))
}

/// Panics.
#[tool(operation = Read)]
fn bug() -> String {
    panic!("a bug")
}

#[tool(operation = Read, description = "Tells \u{1b}[8mnothing\u{202e} good.", title = "\u{9b}1m")]
fn hostile(
    /** Whether it fails. */
    fail: Option<bool>,
) -> Result<String, ToolError> {
    if fail == Some(true) {
        return Err(ToolError::failed("\u{1b}[2Jgone"));
    }
    Ok("\u{1b}]0;mine\u{7}\u{202e}".to_owned())
}

/// Tells the same as JSON.
#[tool(operation = Read)]
fn hostile_json() -> Vec<String> {
    vec!["\u{1b}\u{9b}\u{202e}".to_owned()]
}

/// Never ends.
#[tool(operation = Read)]
async fn forever(#[inject] events: State<Events>) -> String {
    /// Notes that the call was dropped.
    struct Held<'e>(&'e Events);

    impl Drop for Held<'_> {
        fn drop(&mut self) {
            self.0.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }

    let _held = Held(&events);
    events.begun.notify_one();
    std::future::pending().await
}

/// Holds its thread for ever.
#[tool(operation = Read)]
fn stuck() -> String {
    eprintln!("begun");
    loop {
        std::thread::park();
    }
}

/// Changes something for ever.
#[tool(operation = Write, destructive = false)]
async fn labour() {
    eprintln!("begun");
    std::future::pending::<()>().await;
}

/// Records a note.
///
/// It stays until `purge`.
#[tool(operation = Write, destructive = false)]
async fn record(
    #[inject] events: State<Events>,
    #[inject] context: Context,
    /** The note. */
    note: String,
) -> String {
    events.begun.notify_one();
    context.cancelled().await;
    events.recorded.fetch_add(1, Ordering::SeqCst);
    note
}

/// Deletes everything.
#[tool(operation = Write, destructive = true, title = "Delete all")]
fn purge(#[inject] events: State<Events>) -> &'static str {
    events.purged.fetch_add(1, Ordering::SeqCst);
    "purged"
}
