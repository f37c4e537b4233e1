//! Tools that run as tasks.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use tool_core::inject::{InjectAsync, Injection, Needs};
use tool_core::{Context, Failure, FailureKind, ToolError, tool};

/// Greets somebody at once.
#[tool(operation = Explain, open_world = false)]
fn greet(
    /** Who. */
    name: String,
) -> String {
    format!("Hello, {name}!")
}

/// Computes for some seconds, unless it is canceled.
#[tool(operation = Trigger, destructive = false, open_world = false, task(optional, poll = "200ms"))]
async fn slow_compute(
    #[inject] context: Context,
    /** For how long. */
    seconds: u64,
    /** What the result is called. */
    label: Option<String>,
) -> Result<String, Failure> {
    let label = label.as_deref().unwrap_or("computation");
    context.progress(0, 1, label);
    tokio::select! {
        () = context.cancelled() => Err(Failure::new(FailureKind::Cancelled, "canceled")),
        () = sleep(Duration::from_secs(seconds)) => Ok(format!("{label}: computed for {seconds} s")),
    }
}

/// Fails after a second.
#[tool(operation = Trigger, destructive = false, open_world = false, task(required, poll = "200ms"))]
async fn failing_job() -> Result<(), ToolError> {
    sleep(Duration::from_secs(1)).await;
    Err(ToolError::failed("the job failed"))
}

/// Ends like a task whose process was killed: a failure of the tool itself is a result.
#[tool(operation = Trigger, destructive = false, open_world = false, task(optional, poll = "200ms"))]
async fn protocol_error_job() -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Interrupted, "the job was interrupted"))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Confirmation {
    confirm: bool,
}

/// Deletes a file once somebody is sure.
#[tool(operation = Trigger, destructive = true, open_world = false, task(optional, poll = "200ms"))]
async fn confirm_delete(
    #[inject] context: Context,
    /** The file. */
    filename: String,
) -> Result<String, Failure> {
    let question = format!("Delete {filename}?");
    let Confirmation { confirm } = context.elicit(question).await?.required()?;
    Ok(if confirm { format!("{filename} deleted") } else { format!("{filename} kept") })
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct UserName {
    name: String,
}

/// Asked before the task exists.
impl<Op> InjectAsync<Op> for UserName {
    fn needs(_: &mut Needs) {}

    async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        source.context().elicit("What is your name?").key("user_name").await?.required()
    }
}

/// Greets somebody later.
#[tool(operation = Trigger, destructive = false, open_world = false, task(required, poll = "200ms"))]
async fn test_tool_with_task(#[inject] UserName { name }: UserName) -> String {
    format!("Hello, {name}!")
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Approval {
    name: String,
    confirm: bool,
}

/// Asks two things at once.
#[tool(operation = Trigger, destructive = false, open_world = false, task(optional, poll = "200ms"))]
async fn multi_input(#[inject] context: Context) -> Result<String, Failure> {
    let (first, second) = tokio::join!(
        context.elicit::<Approval>("Is the first right?").key("first"),
        context.elicit::<Approval>("Is the second right?").key("second"),
    );
    let (first, second) = (first?.required()?, second?.required()?);
    Ok(format!("{}: {}, {}: {}", first.name, first.confirm, second.name, second.confirm))
}
