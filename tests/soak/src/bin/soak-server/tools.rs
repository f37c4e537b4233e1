//! Tools that answer, and tools that panic, hang, print, allocate and ask.

use std::future::pending;
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use tokio::time::sleep;
use tool_core::logging::LogLevel;
use tool_core::{Context, Failure, FailureKind, Prompt, PromptMessage, State, ToolError, prompt, tool};
use tool_mcp::Updates;

/// Adds two numbers.
#[tool(operation = Read, open_world = false)]
fn add(a: i64, b: i64) -> i64 {
    a.wrapping_add(b)
}

/// Stores the text of a row.
#[tool(operation = Write, destructive = false, idempotent = true, open_world = false)]
async fn write_row(id: i32, text: String, #[inject] rows: State<PgPool>) -> Result<(), ToolError> {
    let statement =
        "INSERT INTO soak_row (id, text) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET text = $2";
    let query = sqlx::query(statement).bind(id).bind(text);
    query.execute(&*rows).await.map(|_| ()).map_err(|error| unavailable(&error))
}

/// Returns the text of a row.
#[tool(operation = Read, open_world = false)]
async fn read_row(id: i32, #[inject] rows: State<PgPool>) -> Result<String, ToolError> {
    let query = sqlx::query_scalar("SELECT text FROM soak_row WHERE id = $1").bind(id);
    let text: Option<String> = query.fetch_optional(&*rows).await.map_err(|error| unavailable(&error))?;
    text.ok_or_else(|| ToolError::not_found("there is no such row"))
}

fn unavailable(error: &sqlx::Error) -> ToolError {
    ToolError::unavailable(format!("the database is away: {error}"))
}

/// A page of a book.
#[tool(operation = Read, path = "page/{number}", open_world = false)]
fn page(#[arg(locator)] number: u32) -> Result<String, ToolError> {
    if number > 100 {
        return Err(ToolError::not_found("the book has 100 pages"));
    }
    Ok(format!("Page {number} of the book."))
}

/// Says that a page has changed.
#[tool(operation = Write, destructive = false, idempotent = true, open_world = false)]
fn touch_page(number: u32, #[inject] updates: State<Updates>) {
    updates.notify(format!("soak://page/{number}"));
}

/// Panics.
#[tool(operation = Read, open_world = false)]
fn explode(reason: String) -> String {
    panic!("{reason}")
}

/// Never ends.
#[tool(operation = Read, open_world = false, timeout = "1500ms")]
async fn hang() -> u64 {
    pending().await
}

/// Waits, and returns how long.
#[tool(operation = Read, open_world = false)]
async fn wait(
    /// Milliseconds.
    #[arg(range(max = 60_000))]
    millis: u64,
) -> u64 {
    sleep(Duration::from_millis(millis)).await;
    millis
}

/// Changes something, which takes some time and goes on when its caller leaves.
#[tool(operation = Write, destructive = false, open_world = false)]
async fn change(
    /// Milliseconds.
    #[arg(range(max = 60_000))]
    millis: u64,
) -> u64 {
    sleep(Duration::from_millis(millis)).await;
    millis
}

/// Blocks its thread.
#[tool(operation = Read, open_world = false, blocking)]
fn block(
    /// Milliseconds.
    #[arg(range(max = 60_000))]
    millis: u64,
) -> u64 {
    thread::sleep(Duration::from_millis(millis));
    millis
}

/// Prints to standard output, where MCP over stdio has its messages.
#[tool(operation = Read, open_world = false)]
#[expect(clippy::print_stdout, reason = "tools of applications do so")]
fn print(text: String) -> usize {
    println!("{text}");
    text.len()
}

/// Allocates megabytes, and returns the sum of some bytes.
#[tool(operation = Read, open_world = false, blocking)]
fn allocate(#[arg(range(max = 50))] megabytes: u32) -> u64 {
    let bytes = vec![1_u8; (megabytes as usize) << 20];
    bytes.iter().step_by(4096).map(|byte| u64::from(*byte)).sum()
}

/// A report of that many lines, which is stored if it is large.
#[tool(operation = Read, open_world = false)]
fn report(#[arg(range(max = 10_000))] lines: u32) -> String {
    text_of(lines)
}

/// As many lines, which are never stored.
#[tool(operation = Read, open_world = false)]
fn dump(#[arg(range(max = 100_000))] lines: u32) -> String {
    text_of(lines)
}

fn text_of(lines: u32) -> String {
    (1..=lines).map(|line| format!("line {line}: {}\n", u64::from(line) * u64::from(line))).collect()
}

/// Counts, with a pause of 10 ms after each number.
#[tool(operation = Read, open_world = false)]
async fn count(#[arg(range(max = 10_000))] numbers: u64, #[inject] context: Context) -> u64 {
    for number in 1..=numbers {
        context.progress(number, numbers, "counting");
        context.log(LogLevel::Info, format!("at {number}"));
        sleep(Duration::from_millis(10)).await;
    }
    numbers
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Greets whoever is there.
#[tool(operation = Read, open_world = false)]
async fn greet(greeting: String, #[inject] context: Context) -> Result<String, Failure> {
    let Name { name } = context.elicit("What is your name?").key("name").await?.required()?;
    Ok(format!("{greeting}, {name}!"))
}

/// Counts as a task, with a pause of 10 ms after each number.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 20, poll = "50ms"))]
async fn work(#[arg(range(max = 10_000))] numbers: u64, #[inject] context: Context) -> Result<u64, Failure> {
    for number in 1..=numbers {
        if context.is_cancelled() {
            return Err(Failure::new(FailureKind::Cancelled, "canceled"));
        }
        context.progress(number, numbers, "counting");
        sleep(Duration::from_millis(10)).await;
    }
    Ok(numbers)
}

/// Registers a name that it asks for.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 20, poll = "50ms"))]
async fn register(#[inject] context: Context) -> Result<String, Failure> {
    let Name { name } = context.elicit("What is the name?").key("name").await?.required()?;
    Ok(format!("registered {name}"))
}

/// Panics as a task.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 2, poll = "50ms"))]
async fn collapse() -> u64 {
    panic!("a task panics")
}

/// Asks for a summary.
#[prompt]
fn summary(topic: String) -> Prompt {
    Prompt::new([PromptMessage::user(format!("Write about {topic}."))])
}
