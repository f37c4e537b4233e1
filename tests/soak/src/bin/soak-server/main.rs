//! The application that the soak test loads: one registry over HTTP, over MCP and on the command line.
//!
//! `soak-server serve all` serves HTTP and MCP over HTTP, `serve mcp` MCP on standard input and output.
//!
//! | variable | meaning |
//! |---|---|
//! | `DATABASE_URL` | the PostgreSQL of rows and tasks |
//! | `SOAK_AUDIT` | the file that gets a line of JSON for each audit event |

mod figures;
mod tools;

use std::env;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sqlx::postgres::PgPoolOptions;
use tokio::net::TcpListener;
use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::Registry;
use tool_core::audit::{AuditEvent, AuditSink};
use tool_core::results::{ResultLimits, ResultStore};
use tool_mcp::Updates;
use tool_tasks::PostgresEngine;
use tracing_subscriber::EnvFilter;

/// How long the head or the body of a request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);

/// How long a client may read nothing of a response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a client has for the answer to a question.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
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
    let audit = OpenOptions::new().append(true).create(true).open(env::var("SOAK_AUDIT")?)?;
    let rows = PgPoolOptions::new()
        .max_connections(4)
        .acquire_timeout(Duration::from_secs(5))
        .connect_lazy(&database)?;
    // Full before the figures are compared.
    let limits = ResultLimits::new().threshold(4_000).largest(1 << 20).total(2 << 20);
    let results = ResultStore::memory().limits(limits).for_tools(|tool| tool.name() == "report");
    let updates = Updates::new();
    let registry = Registry::builder()
        .linked()
        .storing(results)
        .tasks(Arc::new(PostgresEngine::at(database)))
        .state(rows)
        .state(updates.clone())
        .audit(AuditFile(audit))
        .build()?;
    let (all, stdio) = (registry.clone(), registry.clone());
    let all_updates = updates.clone();
    let all = Server::new(move |options| serve_all(all, all_updates, options));
    let mcp = Server::new(async move |_| Ok(mcp(stdio, &updates).serve_stdio().await?));
    Ok(App::new("soak-server", registry).server("all", all).server("mcp", mcp))
}

/// A file with a line for each audit event, which several processes append to.
struct AuditFile(File);

impl AuditSink for AuditFile {
    fn record(&self, event: &AuditEvent<'_>) {
        let mut line = serde_json::to_vec(event).expect("an event is valid JSON");
        line.push(b'\n');
        // In one write, so that lines of several processes do not mix.
        (&self.0).write_all(&line).expect("the file takes another line");
    }
}

fn mcp(registry: Registry, updates: &Updates) -> tool_mcp::Server {
    tool_mcp::Server::new(registry)
        .name("soak")
        .version("1.0.0")
        .updates(updates)
        .header_timeout(REQUEST_TIMEOUT)
        .body_timeout(REQUEST_TIMEOUT)
        .write_timeout(WRITE_TIMEOUT)
        .answer_within(ANSWER_TIMEOUT)
}

/// Serves HTTP, MCP over HTTP and the figures, and prints the three addresses as one line of JSON.
async fn serve_all(registry: Registry, updates: Updates, options: ServeOptions) -> Result<(), ServeError> {
    let http = tool_http::Options::new()
        .title("soak")
        .allow_execute(true)
        .excerpts(true)
        .body_limit(256 << 10)
        .body_timeout(REQUEST_TIMEOUT);
    let http =
        tool_http::ServerOptions::from(http).header_timeout(REQUEST_TIMEOUT).write_timeout(WRITE_TIMEOUT);
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let mcp = mcp(registry.clone(), &updates).serve_http(any).await?;
    let http = tool_http::Server::new(registry).options(http).bind(any).await?;
    let figures = TcpListener::bind(any).await?;
    let addresses = json!({
        "http": http.local_addr(), "mcp": mcp.local_addr(), "figures": figures.local_addr()?,
    });
    writeln!(std::io::stdout(), "{addresses}")?;
    let serving = tokio::spawn(figures::serve(figures));
    let ((), served) = tokio::join!(http.run(options.shutdown()), mcp.run_until(options.shutdown()));
    serving.abort();
    Ok(served?)
}
