//! The tools of these tests, and an engine that cannot be reached.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tool_core::elicitation::Elicited;
use tool_core::failure::Reason;
use tool_core::tasks::{NewTask, Task, TaskEngine, TaskError, TaskId, TaskRun};
use tool_core::{BoxFuture, Context, Failure, FailureKind, Principal, Registry, tool, tools};

#[derive(Serialize, JsonSchema)]
struct Count {
    number: u64,
    is_last: bool,
}

/// Counts to a number.
#[tool(operation = Trigger, destructive = false, open_world = false, task(optional))]
async fn count(
    #[inject] context: Context,
    /** The last number. */
    to: u64,
) -> Vec<Count> {
    let mut counts = Vec::new();
    for number in 1..=to {
        context.progress(number, to, "counted");
        counts.push(Count { number, is_last: number == to });
    }
    counts
}

/// Builds a house, which always takes long.
#[tool(operation = Trigger, destructive = false, open_world = false, task(required))]
async fn build_house(
    /** The name of the house, which clashes with an option. */
    key: String,
    /** How high it is. */
    storeys: u8,
) -> Result<String, Failure> {
    match storeys {
        0 => Err(Failure::new(FailureKind::Failed(Reason::Conflict), format!("{key} has no storeys"))),
        storeys => Ok(format!("{key} with {storeys} storeys")),
    }
}

/// Deletes everything.
#[tool(operation = Trigger, destructive = true, open_world = false, task(optional))]
async fn delete_all() {}

/// Greets, at once.
#[tool(operation = Transform, open_world = false)]
fn greet(
    /** Whom. */
    key: String,
) -> String {
    format!("Hello {key}")
}

/// Connects to a port, says which attempt it is, and returns the line that comes back.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 1))]
async fn hold(
    #[inject] context: Context,
    /** The port. */
    port: u16,
) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::new(FailureKind::Failed(Reason::Other), error.to_string());
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.map_err(failed)?;
    let attempt = context.task().map_or(0, |task| task.attempt);
    context.progress(1, 2, "holding");
    stream.write_all(format!("{attempt}\n").as_bytes()).await.map_err(failed)?;
    let mut line = String::new();
    let mut stream = BufReader::new(stream);
    tokio::select! {
        read = stream.read_line(&mut line) => read.map_err(failed)?,
        () = context.cancelled() => return Err(Failure::new(FailureKind::Cancelled, "let go")),
    };
    Ok(format!("{} on attempt {attempt}", line.trim_end()))
}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    /// The colour of the walls.
    colour: String,
    #[schemars(range(min = 1, max = 3))]
    coats: u8,
}

/// Paints a room.
#[tool(operation = Trigger, destructive = false, open_world = false, task(optional))]
async fn paint(#[inject] context: Context) -> Result<String, Failure> {
    Ok(match context.elicit::<Colour>("Which colour?").key("wall").await? {
        Elicited::Accepted(Colour { colour, coats }) => format!("{coats} coats of {colour}"),
        Elicited::Declined => "nothing".to_owned(),
        Elicited::Cancelled => "gone".to_owned(),
    })
}

/// Signs a contract, and asks two things at once.
#[tool(operation = Trigger, destructive = false, open_world = false, task(optional))]
async fn sign(#[inject] context: Context) -> Result<String, Failure> {
    let (colour, signed) = tokio::join!(
        context.elicit::<Colour>("Which colour?").key("ink"),
        context.elicit_url("Sign here", "https://example.com/sign").key("page"),
    );
    Ok(format!("{:?} {}", colour?.accepted().map(|ink| ink.colour), signed?.accepted().is_some()))
}

/// Returns a registry that stores its tasks with this engine.
pub(crate) fn with(engine: Arc<dyn TaskEngine>) -> Registry {
    Registry::builder()
        .tools(tools![count, build_house, delete_all, greet, hold, paint, sign])
        .tasks(engine)
        .build()
        .unwrap()
}

/// Returns a registry without an engine.
pub(crate) fn without_engine() -> Registry {
    Registry::builder().tools(tools![count, greet]).build().unwrap()
}

/// An engine that answers everything with this error.
pub(crate) struct Failing(pub(crate) TaskError);

impl Failing {
    /// An engine whose database is away.
    pub(crate) fn away() -> Self {
        Failing(TaskError::Unavailable("disk on fire".to_owned()))
    }

    fn fail<'a, T: Send + 'a>(&self) -> BoxFuture<'a, Result<T, TaskError>> {
        Box::pin(std::future::ready(Err(self.0.clone())))
    }
}

impl TaskEngine for Failing {
    fn create(&self, _: NewTask) -> BoxFuture<'_, Result<Task, TaskError>> {
        self.fail()
    }

    fn get<'a>(&'a self, _: &'a Principal, _: &'a TaskId) -> BoxFuture<'a, Result<Option<Task>, TaskError>> {
        self.fail()
    }

    fn list<'a>(
        &'a self,
        _: &'a Principal,
        _: Option<&'a TaskId>,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<Task>, TaskError>> {
        self.fail()
    }

    fn answer<'a>(
        &'a self,
        _: &'a Principal,
        _: &'a TaskId,
        _: Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, TaskError>> {
        self.fail()
    }

    fn cancel<'a>(&'a self, _: &'a Principal, _: &'a TaskId) -> BoxFuture<'a, Result<bool, TaskError>> {
        self.fail()
    }

    fn changed<'a>(&'a self, _: &'a TaskId, _: u64) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn work(&self, _: Arc<dyn TaskRun>, _: CancellationToken) -> BoxFuture<'_, Result<(), TaskError>> {
        self.fail()
    }
}
