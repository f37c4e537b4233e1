//! The application under test.
//!
//! | variable | meaning |
//! |---|---|
//! | `FAULTS_FOLDER` | the folder of large results; without it, they are in memory |
//! | `FAULTS_UPSTREAM` | the URL of another MCP server, whose tools are listed, too |

use std::env;
use std::process::ExitCode;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::provider::Providers;
use tool_core::results::ResultStore;
use tool_core::{Context, Failure, Registry, ToolError, tool};
use tool_mcp::upstream::{Upstream, Upstreams};
use tracing_subscriber::filter::LevelFilter;

/// The largest body, over HTTP as over MCP.
const BODY_LIMIT: usize = 4 * 1024 * 1024;

/// Runs the application, as its command line says.
#[tokio::main]
pub(crate) async fn run() -> ExitCode {
    let log = tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_ansi(false);
    // A call whose log nobody reads must not panic.
    log.with_writer(std::io::stderr).log_internal_errors(false).init();
    match app() {
        Ok(app) => app.run().await,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn app() -> Result<App, ServeError> {
    let results = match env::var_os("FAULTS_FOLDER") {
        Some(folder) => ResultStore::local(folder)?,
        None => ResultStore::memory(),
    };
    let registry = Registry::builder().linked().storing(results).build()?;
    let http = tool_http::Options::new().allow_execute(true).excerpts(true).body_limit(BODY_LIMIT);
    let http = tool_http::Server::new(registry.clone()).options(http);
    let over_mcp = registry.clone();
    let mcp = Server::new(move |options| serve_mcp(over_mcp, options));
    Ok(App::new("faults", registry).server("http", http).server("mcp", mcp.optional_addr().mcp_stdio()))
}

async fn serve_mcp(registry: Registry, options: ServeOptions) -> Result<(), ServeError> {
    let server = match env::var("FAULTS_UPSTREAM") {
        Err(_) => tool_mcp::Server::new(registry),
        Ok(url) => {
            let upstreams = Upstreams::new([Upstream::url("elsewhere", url)])?;
            upstreams.start();
            tool_mcp::Server::new(Providers::new().with("own", registry).with("elsewhere", upstreams))
        }
    };
    options.run(server).await
}

/// Returns a text.
#[tool(operation = Read, open_world = false)]
fn echo(text: String) -> String {
    text
}

/// Returns the length of a text in bytes.
#[tool(operation = Read, open_world = false)]
fn measure(text: String) -> usize {
    text.len()
}

/// Returns a text of lines that are all different.
#[tool(operation = Read, open_world = false)]
fn report(lines: u32, title: String) -> String {
    (0..lines).map(|line| format!("{title} {line:>10}\n")).collect()
}

/// Waits until a connection to this address is closed, and returns what was read of it.
#[tool(operation = Read)]
async fn wait(address: String) -> Result<String, ToolError> {
    let mut read = String::new();
    let stream = TcpStream::connect(address).await;
    let waiting = async { stream?.read_to_string(&mut read).await };
    waiting.await.map_err(|error| ToolError::unavailable(error.to_string()))?;
    Ok(read)
}

/// Allocates memory, and returns how many bytes.
#[tool(operation = Read, open_world = false)]
fn allocate(mebibytes: usize) -> usize {
    vec![1_u8; mebibytes << 20].len()
}

/// Panics.
#[tool(operation = Read, open_world = false)]
fn explode() {
    panic!("exploded")
}

/// Returns the time of the system's clock, in seconds since 1970.
#[tool(operation = Read, open_world = false)]
fn clock() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Greets whoever is there.
#[tool(operation = Read, open_world = false)]
async fn greet(#[inject] context: Context) -> Result<String, Failure> {
    let Name { name } = context.elicit("What is your name?").key("name").await?.required()?;
    Ok(format!("Hello, {name}!"))
}
