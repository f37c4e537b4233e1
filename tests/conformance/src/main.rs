//! A server with the fixtures of the conformance suite of the Model Context Protocol, built with the public API.
//!
//! Each module declares one kind of fixture; [`stage`] collects them and adds and removes some.

mod contact;
mod content;
mod elicitation;
mod meanwhile;
mod prompts;
mod resources;
mod stage;
mod tasks;

use std::process::ExitCode;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tool_core::tasks::TaskEngine;
use tool_mcp::{ServeError, Server};
use tool_tasks::SqliteEngine;
use tracing_subscriber::EnvFilter;

use crate::stage::Stage;

#[tokio::main]
async fn main() -> ExitCode {
    // Clients of the suite disconnect early, which the protocol library logs as an error.
    let default_filter = || EnvFilter::new("error,rmcp=off,tool_core::log=off");
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| default_filter());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A call whose log nobody reads must not panic.
    log.log_internal_errors(false).init();

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [option, addr] = arguments.as_slice() else { return usage() };
    if option != "--addr" {
        return usage();
    }
    match serve(addr).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: conformance --addr ADDR, where port 0 takes a free one");
    ExitCode::from(2)
}

async fn serve(addr: &str) -> Result<(), ServeError> {
    let stage = Stage::new();
    // The tasks end with the server.
    let folder = tempfile::tempdir().map_err(|error| ServeError::Setup(error.to_string()))?;
    let engine: Arc<dyn TaskEngine> = Arc::new(SqliteEngine::at(folder.path().join("tasks.db")));
    let (provider, tasks) = stage.provider(&engine)?;
    tokio::spawn(async move { tasks.run_tasks(CancellationToken::new()).await });
    let server = Server::new(provider)
        .name("conformance")
        .title("Conformance")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("The fixtures of the conformance suite. None of them does anything useful.")
        .scheme("test")
        .changes(stage.changes())
        .updates(stage.updates())
        .serve_http(addr)
        .await?;
    eprintln!("listening on http://{}", server.local_addr());
    server.run().await
}
