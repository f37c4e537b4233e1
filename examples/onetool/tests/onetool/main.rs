//! The example as a whole: its tools called through the registry, its blocks run by the program itself.

mod blocks;
mod declarations;
mod faces;
// The client of the example is not part of what it shows.
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

/// The registry of the example with a search service of its own.
struct World {
    registry: Registry,
    origin: String,
    _running: Running,
}

impl World {
    async fn new() -> Self {
        World::limited(BlockLimits::default()).await
    }

    async fn limited(limits: BlockLimits) -> Self {
        let service = Service::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let origin = service.origin();
        World { registry: registry_of(workshop(&origin, limits)), origin, _running: service.start() }
    }

    /// What comes of a command.
    async fn run(&self, command: &str) -> Result<Value, Failure> {
        self.registry.call("run", json!({"command": command})).await.map(|output| output.value())
    }

    /// What is told of a command that fails.
    async fn refused(&self, command: &str) -> String {
        self.run(command).await.expect_err(command).message().to_owned()
    }
}

/// What the tools work with: blocks are run by the program of this package, and not by this test.
fn workshop(origin: &str, limits: BlockLimits) -> Workshop {
    Workshop {
        search: Search::new(origin).unwrap(),
        fetcher: Fetcher::new(Egress::to([origin]).unwrap(), FetchLimits::default()).unwrap(),
        sandbox: Sandbox::new(env!("CARGO_BIN_EXE_onetool"), limits),
    }
}

/// A registry that calls nothing.
fn registry() -> Registry {
    registry_of(workshop("http://127.0.0.1:7878", BlockLimits::default()))
}

/// Without the tools of these tests, which are linked too.
fn registry_of(workshop: Workshop) -> Registry {
    onetool::builder(workshop).select(|tool| tool.source().module == "onetool::tools").build().unwrap()
}
