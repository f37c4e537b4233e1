//! One replica of a server with everything that replicas share.
//!
//! | variable | meaning |
//! |---|---|
//! | `DATABASE_URL` | the PostgreSQL of tasks, sessions and changes |
//! | `AWS_BUCKET`, `AWS_ENDPOINT_URL` and others | the bucket of large results, see `tool_replicas::BucketOptions::from_env` |
//! | `REPLICA_KEYS` | the numbers of the keys that sign the state of calls that wait for answers, the active one first |
//! | `REPLICA_EFFECTS` | a file that gets a line for each call of `order` |

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::results::{ResultLimits, ResultStore};
use tool_core::tasks::TaskKey;
use tool_core::{
    Context, Failure, FailureKind, Prompt, PromptMessage, Registry, State, ToolError, prompt, tool,
};
use tool_mcp::{Update, Updates};
use tool_replicas::{Bucket, BucketOptions, PostgresChanges, PostgresSessions};
use tool_tasks::PostgresEngine;
use tracing_subscriber::EnvFilter;

/// The channel of the database that says which resources have changed.
const CHANNEL: &str = "pages";

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A call whose log nobody reads must not panic.
    log.log_internal_errors(false).init();
    match app() {
        Ok(app) => app.run().await,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn app() -> Result<App, ServeError> {
    let database = env::var("DATABASE_URL")?;
    let bucket = Bucket::new(BucketOptions::from_env())?;
    let results = ResultStore::shared(bucket).limits(ResultLimits::new().threshold(2_000));
    let engine = Arc::new(PostgresEngine::at(&database));
    let pages = PostgresChanges::at(&database, CHANNEL)?;
    let registry =
        Registry::builder().linked().storing(results).tasks(engine).state(pages.clone()).build()?;
    let served = registry.clone();
    let server = Server::new(move |options| serve(served, database, pages, options));
    Ok(App::new("replica", registry).server("all", server.addr(([127, 0, 0, 1], 0))))
}

async fn serve(
    registry: Registry,
    database: String,
    pages: PostgresChanges,
    options: ServeOptions,
) -> Result<(), ServeError> {
    let http = tool_http::Options::new().title("replica").allow_execute(true).excerpts(true);
    let tools = tool_http::router_with(registry.clone(), http);
    let updates = Updates::new();
    let following = tokio::spawn(updates.follow(pages.listen()));
    let mcp = tool_mcp::Server::new(registry)
        .name("replica")
        .version("1.0.0")
        .request_state_keys(keys()?)
        .sessions(Arc::new(PostgresSessions::at(&database, "replica")?))
        .updates(&updates);
    let app = Router::new().nest_service("/mcp", mcp.into_axum_router()?).merge(tools);
    let listener = TcpListener::bind(options.addr.ok_or("an address is needed")?).await?;
    options.listening(listener.local_addr()?);
    axum::serve(listener, app).with_graceful_shutdown(options.shutdown()).await?;
    following.abort();
    Ok(())
}

/// Returns the keys of `REPLICA_KEYS`; each consists of one repeated number.
fn keys() -> Result<Vec<[u8; 32]>, ServeError> {
    let numbers = env::var("REPLICA_KEYS")?;
    numbers.split(',').map(|number| Ok([number.parse()?; 32])).collect()
}

/// Adds two numbers.
#[tool(operation = Read, open_world = false)]
fn add(a: u32, b: u32) -> u64 {
    u64::from(a) + u64::from(b)
}

/// Waits, and returns how long.
#[tool(operation = Read, open_world = false)]
async fn wait(
    /// Milliseconds.
    #[arg(range(max = 60_000))]
    millis: u64,
) -> u64 {
    tokio::time::sleep(Duration::from_millis(millis)).await;
    millis
}

/// A page of a book.
#[tool(operation = Read, path = "page/{number}", open_world = false)]
fn page(#[arg(locator)] number: u32) -> Result<String, ToolError> {
    if number > 100 {
        return Err(ToolError::not_found("the book has 100 pages"));
    }
    Ok(format!("Page {number} of the book."))
}

/// A report of that many lines, which is stored if it is large.
#[tool(operation = Read, open_world = false)]
fn report(#[arg(range(max = 10_000))] lines: u32) -> String {
    (1..=lines).map(|line| format!("line {line}: {}\n", line * line)).collect()
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

/// Counts, with a pause of 10 ms after each number.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 5, poll = "50ms"))]
async fn count(numbers: u64, #[inject] context: Context) -> Result<u64, Failure> {
    for number in 0..numbers {
        if context.is_cancelled() {
            return Err(Failure::new(FailureKind::Cancelled, "canceled"));
        }
        context.progress(number, numbers, "counting");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(numbers)
}

/// Registers a name that it asks for.
#[tool(operation = Trigger, destructive = false, idempotent = true, task(optional, retries = 5, poll = "50ms"))]
async fn register(#[inject] context: Context) -> Result<String, Failure> {
    let Name { name } = context.elicit("What is the name?").key("name").await?.required()?;
    Ok(format!("registered {name}"))
}

/// Orders an item.
#[tool(operation = Trigger, destructive = false, task(optional, poll = "50ms"))]
async fn order(item: String, #[inject] key: TaskKey) -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_millis(50)).await;
    note_effect(&format!("{} {item}\n", &*key)).map_err(|error| ToolError::unavailable(error.to_string()))?;
    Ok(format!("{item} is ordered"))
}

/// Appends a line to the file of effects.
fn note_effect(line: &str) -> io::Result<()> {
    let file = env::var("REPLICA_EFFECTS").map_err(io::Error::other)?;
    OpenOptions::new().append(true).create(true).open(file)?.write_all(line.as_bytes())
}

/// Says that a page has changed.
#[tool(operation = Write, destructive = false, idempotent = true, open_world = false)]
async fn touch_page(number: u32, #[inject] pages: State<PostgresChanges>) -> Result<(), ToolError> {
    let update = Update::resource(format!("replica://page/{number}"));
    pages.notify(&update).await.map_err(|error| ToolError::unavailable(error.to_string()))
}

/// Asks for a summary.
#[prompt]
fn summary(topic: String) -> Prompt {
    Prompt::new([PromptMessage::user(format!("Write about {topic}."))])
}
