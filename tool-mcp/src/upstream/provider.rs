//! All servers as one provider of tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::provider::{DiscoveryError, IntoToolsProvider as _, Providers, ToolsProvider, Toolset};
use tool_core::{BoxFuture, Registry};

use crate::changes::Changes;
use crate::upstream::backoff::Backoff;
use crate::upstream::config::UpstreamsConfig;
use crate::upstream::error::UpstreamsError;
use crate::upstream::link::{Link, Manners};
use crate::upstream::listing::home_of_nothing;
use crate::upstream::settings::Upstream;
use crate::upstream::status::Status;

/// The tools of any number of servers, as one provider of tools. Cheap to clone; the servers that were started are ended with
/// the last clone.
///
/// See [the module](crate::upstream).
///
/// ```no_run
/// use tool_core::provider::IntoToolsProvider;
/// use tool_mcp::upstream::{Upstream, Upstreams};
///
/// # async fn list() -> Result<(), Box<dyn std::error::Error>> {
/// let upstreams = Upstreams::new([Upstream::command("weather", "weather").args(["serve", "mcp"])])?;
/// let tools = upstreams.clone().into_provider().tools().await?;
/// for tool in tools.registry().tools() {
///     println!("{}", tool.name());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Upstreams(Arc<All>);

struct All {
    links: Vec<Arc<Link>>,
    joined: Providers,
}

impl Upstreams {
    /// These servers, in this order. Nothing is started yet.
    ///
    /// # Errors
    ///
    /// When one of them is set up wrongly, or two have one name: all faults at once.
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

    /// Servers, and how to deal with them.
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
            manners: Manners {
                backoff: Backoff::default(),
                patience: Duration::from_secs(10),
                fresh_for: Duration::from_secs(300),
                changes: None,
                home: home_of_nothing(),
            },
        }
    }

    /// How each server is, in their order. Asks nobody: it is what is known.
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
        self.0.links.iter().map(|link| link.status()).collect()
    }

    /// Waits until a server is as one wants it to be, and says how it is then; `None` for a server that is not one of these.
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
        let link = self.0.links.iter().find(|link| link.name() == server)?;
        Some(link.wait_for(condition).await)
    }

    /// Connects to all servers, so that the first who asks for tools need not wait.
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
        self.0.links.iter().for_each(Link::start);
    }

    /// Ends all connections and programs, and waits until they have ended. What is called later is told that its server has
    /// ended.
    ///
    /// Where this is not awaited, programs are ended with the last clone, without being asked first.
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
        self.0.links.iter().for_each(|link| link.end.cancel());
        for link in &self.0.links {
            link.ended().await;
        }
    }
}

impl ToolsProvider for Upstreams {
    fn tools(&self) -> BoxFuture<'_, Result<Toolset, DiscoveryError>> {
        self.0.joined.tools()
    }
}

impl fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.links.iter().map(|link| &link.upstream)).finish()
    }
}

impl Drop for All {
    fn drop(&mut self) {
        self.links.iter().for_each(|link| link.end.cancel());
    }
}

/// One server as a provider among the others.
struct One(Arc<Link>);

impl ToolsProvider for One {
    fn tools(&self) -> BoxFuture<'_, Result<Toolset, DiscoveryError>> {
        Box::pin(async { self.0.tools().await.map_err(DiscoveryError::new) })
    }
}

/// Servers that are put together, and how to deal with them.
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
    manners: Manners,
}

impl UpstreamsBuilder {
    /// One more server.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().server(Upstream::command("weather", "weather"));
    /// ```
    pub fn server(mut self, server: Upstream) -> Self {
        self.servers.push(server);
        self
    }

    /// The servers of a configuration file that are to be used.
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

    /// Whom to tell when tools come and go.
    ///
    /// ```
    /// # use tool_mcp::Changes;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let changes = Changes::new();
    /// let builder = Upstreams::builder().changes(&changes);
    /// ```
    pub fn changes(mut self, changes: &Changes) -> Self {
        self.manners.changes = Some(changes.clone());
        self
    }

    /// A registry without tools, whose switches and limits hold for the tools of the servers: read only, leniency, how many
    /// calls run at once, who audits them.
    ///
    /// ```
    /// use tool_core::Registry;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    ///
    /// let harmless = Registry::builder().allow_empty().read_only().build()?;
    /// let builder = Upstreams::builder().home(harmless);
    /// # Ok::<(), tool_core::BuildErrors>(())
    /// ```
    pub fn home(mut self, registry: Registry) -> Self {
        self.manners.home = registry;
        self
    }

    /// How long a listing waits for a server that has just begun to start, or was just lost; 10 seconds if it is not said.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().patience(Duration::from_secs(2));
    /// ```
    pub fn patience(mut self, patience: Duration) -> Self {
        self.manners.patience = patience;
        self
    }

    /// The pauses before a server is tried again: the first, and the longest that they double up to; a quarter of a second
    /// and a minute if it is not said. Each is cut by up to a half, by chance.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().backoff(Duration::from_millis(100), Duration::from_secs(10));
    /// ```
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.manners.backoff = Backoff { first, longest };
        self
    }

    /// After how long a list is asked for anew when somebody wants to see it, where its server neither says so nor tells of
    /// changes; 5 minutes if it is not said.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// let builder = Upstreams::builder().fresh_for(Duration::from_secs(60));
    /// ```
    pub fn fresh_for(mut self, duration: Duration) -> Self {
        self.manners.fresh_for = duration;
        self
    }

    /// Puts them together. Nothing is started yet.
    ///
    /// # Errors
    ///
    /// When one of them is set up wrongly, two have one name, or the registry has tools: all faults at once.
    ///
    /// ```
    /// # use tool_mcp::upstream::{Upstream, Upstreams};
    /// assert!(Upstreams::builder().server(Upstream::command("no name", "a")).build().is_err());
    /// ```
    pub fn build(self) -> Result<Upstreams, UpstreamsError> {
        let mut faults = Vec::new();
        for (position, server) in self.servers.iter().enumerate() {
            let name = server.name().escape_debug();
            faults.extend(server.faults().into_iter().map(|fault| format!("server `{name}`: {fault}")));
            if self.servers[..position].iter().any(|other| other.name() == server.name()) {
                faults.push(format!("two servers are named `{name}`"));
            }
        }
        if self.manners.home.tools().next().is_some() {
            faults
                .push("the registry has tools of its own: join them with `tool_core::Providers`".to_owned());
        }
        if !faults.is_empty() {
            return Err(UpstreamsError::of(&faults));
        }
        let links: Vec<Arc<Link>> = self
            .servers
            .into_iter()
            .map(|server| Arc::new(Link::new(server, self.manners.clone())))
            .collect();
        let joined = links.iter().fold(Providers::new(), |joined, link| {
            joined.with_optional(link.name(), One(Arc::clone(link)).into_provider())
        });
        Ok(Upstreams(Arc::new(All { links, joined })))
    }
}
