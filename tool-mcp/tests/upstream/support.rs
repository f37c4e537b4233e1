//! Upstreams under test.

use std::time::Duration;

use serde_json::Value;
use tool_core::provider::{IntoToolsProvider as _, Provider, Toolset};
use tool_core::{Failure, Output, Principal, Registry};
use tool_mcp::upstream::{State, Status, Upstream, Upstreams, UpstreamsBuilder};

/// How long a test waits for anything before it fails.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Servers under test.
pub(crate) struct Servers {
    pub(crate) upstreams: Upstreams,
    pub(crate) provider: Provider,
}

/// Builds upstreams of these servers, with a short backoff.
pub(crate) fn servers(servers: impl IntoIterator<Item = Upstream>) -> Servers {
    servers_as(servers, |builder| builder)
}

pub(crate) fn servers_as(
    servers: impl IntoIterator<Item = Upstream>,
    configure: impl FnOnce(UpstreamsBuilder) -> UpstreamsBuilder,
) -> Servers {
    let builder =
        Upstreams::builder().backoff(Duration::from_millis(10), Duration::from_millis(200)).patience(TIMEOUT);
    let builder = servers.into_iter().fold(configure(builder), UpstreamsBuilder::server);
    let upstreams = builder.build().unwrap();
    Servers { provider: upstreams.clone().into_provider(), upstreams }
}

impl Servers {
    pub(crate) async fn toolset(&self) -> Toolset {
        within(self.provider.tools(&Principal::anonymous())).await.unwrap()
    }

    pub(crate) async fn registry(&self) -> Registry {
        self.toolset().await.registry().clone()
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        self.registry().await.tools().map(|tool| tool.name().to_owned()).collect()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<Output, Failure> {
        within(self.registry().await.call(tool, arguments)).await
    }

    /// Waits until a server is down, and returns the reason.
    pub(crate) async fn down(&self, server: &str) -> String {
        let down = |status: &Status| matches!(status.state, State::Down { .. });
        within(self.upstreams.wait_for(server, down)).await.unwrap().state.to_string()
    }

    /// Starts the servers, and waits until one is up.
    pub(crate) async fn start_until_up(&self, server: &str) -> Status {
        self.upstreams.start();
        within(self.upstreams.wait_for(server, |status| status.state == State::Up)).await.unwrap()
    }

    pub(crate) fn status(&self, server: &str) -> Status {
        self.upstreams.status().into_iter().find(|status| status.server == server).unwrap()
    }
}

/// Fails if a future takes too long.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(TIMEOUT, future).await.expect("this takes too long")
}
