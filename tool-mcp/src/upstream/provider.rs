//! All servers as one provider of tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::provider::{
    DiscoveryError, IntoToolsProvider as _, Provider, Providers, ToolsProvider, Toolset,
};
use tool_core::{BoxFuture, Principal, Registry};

use crate::changes::Changes;
use crate::upstream::backoff::Backoff;
use crate::upstream::config::UpstreamsConfig;
use crate::upstream::connection::{ConnectionPolicy, UpstreamConnection};
use crate::upstream::definition::SEPARATOR;
use crate::upstream::error::UpstreamsError;
use crate::upstream::listing::empty_registry;
#[cfg(feature = "upstream-oauth")]
use crate::upstream::oauth::CredentialFile;
use crate::upstream::settings::Upstream;
use crate::upstream::status::Status;
use crate::upstream::supervisor;

/// A provider of the tools of other MCP servers. Cheap to clone. Dropping the last clone terminates the servers that it
/// has started.
///
/// See [the module](crate::upstream).
///
/// ```no_run
/// use tool_core::Principal;
/// use tool_core::provider::IntoToolsProvider;
/// use tool_mcp::upstream::{Upstream, Upstreams};
///
/// # async fn list() -> Result<(), Box<dyn std::error::Error>> {
/// let upstreams = Upstreams::new([Upstream::command("weather", "weather").args(["serve", "mcp"])])?;
/// let tools = upstreams.clone().into_provider().tools(&Principal::local()).await?;
/// for tool in tools.registry().tools() {
///     println!("{}", tool.name());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Upstreams(pub(super) Arc<UpstreamsInner>);

pub(super) struct UpstreamsInner {
    pub(super) connections: Vec<Arc<UpstreamConnection>>,
    providers: Providers,
}

impl Upstreams {
    /// Creates a provider of these servers, in this order, without starting them.
    ///
    /// # Errors
    ///
    /// When a setting is invalid, or two servers have the same name. The error lists all problems.
    ///
    /// ```
    /// use tool_mcp::upstream::{Upstream, Upstreams};
    ///
    /// let twice = [Upstream::command("a", "a"), Upstream::command("a", "b")];
    /// assert!(Upstreams::new(twice).unwrap_err().to_string().ends_with("two servers are named `a`"));
    /// ```
    pub fn new(servers: impl IntoIterator<Item = Upstream>) -> Result<Self, UpstreamsError> {
        servers.into_iter().fold(Self::builder(), UpstreamsBuilder::server).build()
    }

    /// Creates a builder.
    ///
    /// ```
    /// use tool_mcp::upstream::{Upstream, Upstreams};
    ///
    /// let upstreams = Upstreams::builder().server(Upstream::command("weather", "weather")).build()?;
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn builder() -> UpstreamsBuilder {
        UpstreamsBuilder {
            servers: Vec::new(),
            #[cfg(feature = "upstream-oauth")]
            credentials: None,
            #[cfg(feature = "upstream-oauth")]
            sign_in_command: None,
            policy: ConnectionPolicy {
                backoff: Backoff::default(),
                patience: Duration::from_secs(10),
                fresh_for: Duration::from_secs(300),
                changes: None,
                registry: empty_registry(),
            },
        }
    }

    /// Returns the current status of each server, in their order, without connecting to them.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// # let upstreams = Upstreams::new([Upstream::command("weather", "weather")])?;
    /// for status in upstreams.status() {
    ///     println!("{}: {}", status.server, status.state);
    /// }
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn status(&self) -> Vec<Status> {
        self.0.connections.iter().map(|connection| connection.status()).collect()
    }

    /// Waits until the status of a server fulfills a condition, and returns it. Returns `None` if there is no such
    /// server.
    ///
    /// ```
    /// # use tool_mcp::upstream::{State, Upstream, Upstreams};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let upstreams = Upstreams::new([Upstream::command("weather", "no-such-program")])?;
    /// upstreams.start();
    /// let down = upstreams.wait_for("weather", |status| matches!(status.state, State::Down { .. })).await;
    /// assert!(down.unwrap().state.to_string().starts_with("down: it cannot be started: "));
    /// assert_eq!(upstreams.wait_for("web", |_| true).await, None);
    /// # upstreams.shutdown().await;
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// # }).unwrap();
    /// ```
    pub async fn wait_for(&self, server: &str, condition: impl FnMut(&Status) -> bool) -> Option<Status> {
        let connection = self.0.connections.iter().find(|connection| connection.name() == server)?;
        Some(connection.wait_for(condition).await)
    }

    /// Starts connecting to all servers, so that the first listing does not have to wait. Does nothing for servers that
    /// are started already.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let upstreams = Upstreams::new([Upstream::command("weather", "no-such-program")])?;
    /// upstreams.start();
    /// # upstreams.shutdown().await;
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// # }).unwrap();
    /// ```
    pub fn start(&self) {
        self.0.connections.iter().for_each(supervisor::start);
    }

    /// Returns a provider of the tools of one server: the one that a tool of this name belongs to, such as the server `weather` of
    /// `weather__get_weather`. Asking it for its tools starts no other server. `None` if the name begins with that of no server.
    ///
    /// ```
    /// use tool_mcp::upstream::{Upstream, Upstreams};
    ///
    /// let upstreams = Upstreams::new([Upstream::command("weather", "weather")])?;
    /// assert!(upstreams.provider_of("weather__get_weather").is_some());
    /// assert!(upstreams.provider_of("get_weather").is_none());
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn provider_of(&self, tool: &str) -> Option<Provider> {
        let connection = self.0.connections.iter().find(|connection| {
            tool.strip_prefix(connection.name()).is_some_and(|rest| rest.starts_with(SEPARATOR))
        })?;
        Some(with_connection(Providers::new(), connection).into_provider())
    }

    /// Closes all connections, terminates all programs, and waits until they have exited. Later calls fail.
    ///
    /// Without this, programs are killed when the last clone is dropped.
    ///
    /// ```
    /// # use tool_mcp::upstream::{State, Upstream, Upstreams};
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let upstreams = Upstreams::new([Upstream::command("weather", "no-such-program")])?;
    /// # upstreams.start();
    /// upstreams.shutdown().await;
    /// assert_eq!(upstreams.status()[0].state, State::Ended);
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// # }).unwrap();
    /// ```
    pub async fn shutdown(&self) {
        self.0.cancel();
        for connection in &self.0.connections {
            connection.ended().await;
        }
    }
}

impl ToolsProvider for Upstreams {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        self.0.providers.tools(caller)
    }
}

impl fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.connections.iter().map(|connection| &connection.upstream)).finish()
    }
}

impl UpstreamsInner {
    fn cancel(&self) {
        self.connections.iter().for_each(|connection| connection.shutdown.cancel());
    }
}

impl Drop for UpstreamsInner {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The provider of the tools of one server.
struct UpstreamProvider(Arc<UpstreamConnection>);

impl ToolsProvider for UpstreamProvider {
    fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(async {
            supervisor::start(&self.0);
            self.0.tools().await.map_err(DiscoveryError::new)
        })
    }
}

/// Adds the tools of a server.
fn with_connection(providers: Providers, connection: &Arc<UpstreamConnection>) -> Providers {
    let provider = UpstreamProvider(Arc::clone(connection)).into_provider();
    providers.with_optional(connection.name(), provider)
}

/// A builder of [`Upstreams`].
///
/// ```
/// use std::time::Duration;
/// use tool_mcp::upstream::{Upstream, Upstreams};
///
/// let upstreams = Upstreams::builder()
///     .server(Upstream::command("weather", "weather").args(["serve", "mcp"]))
///     .patience(Duration::from_secs(2))
///     .build()?;
/// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until `build`"]
pub struct UpstreamsBuilder {
    servers: Vec<Upstream>,
    policy: ConnectionPolicy,
    #[cfg(feature = "upstream-oauth")]
    pub(super) credentials: Option<CredentialFile>,
    #[cfg(feature = "upstream-oauth")]
    pub(super) sign_in_command: Option<String>,
}

impl UpstreamsBuilder {
    /// Adds a server.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().server(Upstream::command("weather", "weather"));
    /// ```
    pub fn server(mut self, server: Upstream) -> Self {
        self.servers.push(server);
        self
    }

    /// Adds the enabled servers of a configuration file.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstreams, UpstreamsConfig};
    /// let config = UpstreamsConfig::parse(r#"{"mcpServers": {"weather": {"command": "weather"}}}"#)?;
    /// let upstreams = Upstreams::builder().config(config).build()?;
    /// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
    /// ```
    pub fn config(mut self, config: UpstreamsConfig) -> Self {
        self.servers.extend(config.into_servers());
        self
    }

    /// Notifies clients when tools come and go.
    ///
    /// ```
    /// # use tool_mcp::Changes;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let changes = Changes::new();
    /// let builder = Upstreams::builder().changes(&changes);
    /// ```
    pub fn changes(mut self, changes: &Changes) -> Self {
        self.policy.changes = Some(changes.clone());
        self
    }

    /// Sets a registry without tools, whose settings apply to the tools of the servers: read-only mode, leniency, the
    /// limit of concurrent calls, the audit sink.
    ///
    /// ```
    /// use tool_core::Registry;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    ///
    /// let read_only = Registry::builder().allow_empty().read_only().build()?;
    /// let builder = Upstreams::builder().registry(read_only);
    /// # Ok::<(), tool_core::BuildErrors>(())
    /// ```
    pub fn registry(mut self, registry: Registry) -> Self {
        self.policy.registry = registry;
        self
    }

    /// Sets how long a listing waits for a server that is starting, or whose connection was just lost; 10 seconds by
    /// default.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().patience(Duration::from_secs(2));
    /// ```
    pub fn patience(mut self, patience: Duration) -> Self {
        self.policy.patience = patience;
        self
    }

    /// Sets the pauses between attempts to connect. They double from the first to the longest, and each is shortened at
    /// random by up to a half; 250 milliseconds and one minute by default.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().backoff(Duration::from_millis(100), Duration::from_secs(10));
    /// ```
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.policy.backoff = Backoff { first, longest };
        self
    }

    /// Sets the maximum age of a list; 5 minutes by default. A listing refreshes an older list in the background. A
    /// server can set a shorter time, and notify of changes.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().fresh_for(Duration::from_secs(60));
    /// ```
    pub fn fresh_for(mut self, duration: Duration) -> Self {
        self.policy.fresh_for = duration;
        self
    }

    /// Creates the provider without starting the servers.
    ///
    /// # Errors
    ///
    /// When a setting is invalid, two servers have the same name, or the registry has tools. The error lists all
    /// problems.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// assert!(Upstreams::builder().server(Upstream::command("no name", "a")).build().is_err());
    /// ```
    #[cfg_attr(not(feature = "upstream-oauth"), expect(unused_mut, reason = "only accounts are set"))]
    pub fn build(mut self) -> Result<Upstreams, UpstreamsError> {
        let mut faults = Vec::new();
        #[cfg(feature = "upstream-oauth")]
        for server in &mut self.servers {
            if !server.set_account(self.credentials.as_ref(), self.sign_in_command.as_deref()) {
                let name = server.name().escape_debug();
                faults.push(format!("server `{name}`: OAuth needs a file for its tokens: set `credentials`"));
            }
        }
        for (position, server) in self.servers.iter().enumerate() {
            let name = server.name().escape_debug();
            faults.extend(server.faults().into_iter().map(|fault| format!("server `{name}`: {fault}")));
            if self.servers[..position].iter().any(|other| other.name() == server.name()) {
                faults.push(format!("two servers are named `{name}`"));
            }
        }
        if self.policy.registry.tools().next().is_some() {
            faults.push(
                "the registry has tools: add them with `tool_core::provider::Providers` instead".to_owned(),
            );
        }
        if !faults.is_empty() {
            return Err(UpstreamsError::from_faults(&faults));
        }
        let connections: Vec<Arc<UpstreamConnection>> = self
            .servers
            .into_iter()
            .map(|server| Arc::new(UpstreamConnection::new(server, self.policy.clone())))
            .collect();
        let providers = connections.iter().fold(Providers::new(), with_connection);
        Ok(Upstreams(Arc::new(UpstreamsInner { connections, providers })))
    }
}
