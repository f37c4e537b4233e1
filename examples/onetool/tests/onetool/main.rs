//! Tests of the whole example: tools are called through the registry, and the program runs the blocks.

mod blocks;
mod declarations;
mod serving;
// The library does not export this client.
#[path = "../../src/http.rs"]
mod http;
mod limits;
mod prompts;
#[cfg(unix)]
mod readme;
mod search;
#[cfg(unix)]
#[path = "../../../../tests/sigterm.rs"]
mod shared;
#[cfg(unix)]
mod sigterm;
mod surfaces;

use onetool::{BlockLimits, Egress, FetchLimits, Fetcher, Running, Sandbox, Search, Service, Workshop};
use serde_json::{Value, json};
use tool_core::{Failure, Registry};

/// The registry of the example with its own search service.
struct Fixture {
    registry: Registry,
    origin: String,
    _running: Running,
}

impl Fixture {
    async fn new() -> Self {
        Fixture::limited(BlockLimits::default()).await
    }

    async fn limited(limits: BlockLimits) -> Self {
        let service = Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let origin = service.origin();
        Fixture { registry: registry_of(workshop(&origin, limits)), origin, _running: service.start() }
    }

    /// Runs a command.
    async fn run(&self, command: &str) -> Result<Value, Failure> {
        self.registry.call("run", json!({"command": command})).await.map(|output| output.value())
    }

    /// Runs a command that fails and returns the error message.
    async fn error_message(&self, command: &str) -> String {
        self.run(command).await.expect_err(command).message().to_owned()
    }
}

/// Returns the state of the tools; the program of this package runs the blocks, not this test.
fn workshop(origin: &str, limits: BlockLimits) -> Workshop {
    Workshop {
        search: Search::new(origin).unwrap(),
        fetcher: Fetcher::new(Egress::to([origin]).unwrap(), FetchLimits::default()).unwrap(),
        sandbox: Sandbox::new(env!("CARGO_BIN_EXE_onetool"), limits),
    }
}

/// Returns a registry for listing.
fn registry() -> Registry {
    registry_of(workshop("http://127.0.0.1:7878", BlockLimits::default()))
}

/// Leaves out the tools of these tests, which are linked, too.
fn registry_of(workshop: Workshop) -> Registry {
    onetool::builder(workshop).select(|tool| tool.source().module == "onetool::tools").build().unwrap()
}
