//! A server with the fixtures that the conformance suite of the Model Context Protocol asks for, made with nothing but the
//! public API.
//!
//! Each module declares one kind of thing; [`stage`] collects what is declared, and lets some of it come and go.

mod asking;
mod contact;
mod content;
mod meanwhile;
mod prompts;
mod resources;
mod stage;

use std::process::ExitCode;

use tool_mcp::{ServeError, Server};
use tracing_subscriber::EnvFilter;

use crate::stage::Stage;

#[tokio::main]
async fn main() -> ExitCode {
    // Clients of the suite leave while they are answered, which the protocol library calls an error.
    let usual = || EnvFilter::new("error,rmcp=off,tool_core::log=off");
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| usual());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();

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
    let server = Server::new(stage.provider()?)
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
