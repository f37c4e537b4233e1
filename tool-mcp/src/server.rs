//! The server before it serves: who it is, whom it admits, how long it waits at the end.

mod content;
mod start;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use rmcp::model::Implementation;
use tokio::net::{TcpListener, ToSocketAddrs, lookup_host};
use tool_core::authentication::Authenticator;
use tool_core::provider::{IntoToolsProvider, Provider};
use tool_core::{BoxFuture, Principal};
use tool_serve::{BODY_TIMEOUT, Limits};

use crate::changes::Changes;
use crate::custom::{DynamicPrompt, DynamicResource, DynamicTemplate};
use crate::discovery::Discovery;
use crate::elicitation::Key;
use crate::error::ServeError;
use crate::http::{Endpoint, HttpServer, Policy};
use crate::prompts_file::PromptsFile;
use crate::stdio;
use crate::surfaces::Surfaces;
use crate::updates::Updates;

/// The version of an application that does not say it.
const UNKNOWN_VERSION: &str = "unknown";

/// Serves the tools of a [`Registry`](tool_core::Registry) over the Model Context Protocol.
///
/// Clients of 2026-07-28 and those that open with `initialize` (up to 2025-11-25) are served on the same endpoint.
///
/// ```
/// use tool_core::{Registry, tool};
/// use tool_mcp::Server;
///
/// /// Doubles a number.
/// #[tool(operation = Transform, open_world = false)]
/// fn mcp_double(/** The number. */ n: i64) -> i64 {
///     2 * n
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "mcp_double").build().unwrap();
/// let server = Server::new(registry).name("doubler").version("1.0.0").serve_http("127.0.0.1:0").await.unwrap();
/// println!("listening on http://{}/mcp", server.local_addr());
/// # });
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server does nothing until it serves"]
pub struct Server {
    provider: Provider,
    identity: Implementation,
    instructions: Option<String>,
    /// `None` for one that is made of the name.
    scheme: Option<String>,
    surfaces: Surfaces,
    discovery: Discovery,
    page_size: Option<usize>,
    tool_meta: bool,
    changes: Option<Changes>,
    updates: Option<Updates>,
    resources: Vec<DynamicResource>,
    templates: Vec<DynamicTemplate>,
    prompts: Vec<DynamicPrompt>,
    file: PromptsFile,
    policy: Policy,
    limits: Limits,
    body_timeout: Duration,
    deadline: Duration,
    /// `None` for one that only this server knows.
    key: Option<Key>,
    patience: Duration,
}

impl Server {
    /// A server of these tools, named after the program. What provides them is asked once a request: a [`Registry`], a
    /// list, a function or an `async` function.
    ///
    /// [`Registry`]: tool_core::Registry
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry);
    /// ```
    pub fn new<Marker>(provider: impl IntoToolsProvider<Marker>) -> Self {
        let program = std::env::current_exe().ok();
        let stem = program.as_deref().and_then(|path| path.file_stem()).and_then(|stem| stem.to_str());
        Server {
            provider: provider.into_provider(),
            // The protocol demands a version, and only the application knows its own.
            identity: Implementation::new(stem.unwrap_or("tool-mcp"), UNKNOWN_VERSION),
            instructions: None,
            scheme: None,
            surfaces: Surfaces::default(),
            discovery: Discovery::default(),
            page_size: None,
            tool_meta: false,
            changes: None,
            updates: None,
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            file: PromptsFile::default(),
            policy: Policy::default(),
            limits: Limits::default(),
            body_timeout: BODY_TIMEOUT,
            deadline: Duration::from_secs(10),
            key: None,
            patience: Duration::from_secs(60 * 60),
        }
    }

    /// The name that clients know the server by; the name of the program if it is not said.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).name("weather");
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.identity.name = name.into();
        self
    }

    /// The name that people see.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).title("Weather archive");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.identity.title = Some(title.into());
        self
    }

    /// Sets the version of the application, which clients show to people: `env!("CARGO_PKG_VERSION")` in its own crate. It is
    /// `unknown` unless it is set, since the protocol demands one.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).version(env!("CARGO_PKG_VERSION"));
    /// ```
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.identity.version = version.into();
        self
    }

    /// The hosts that the server answers as, with or without a port, in place of the loopback names.
    ///
    /// A request for another `Host` is refused with 403: it may come from a page whose name was rebound to this
    /// address.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).allowed_hosts(["tools.example.org"]);
    /// ```
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Answers whatever the `Host`: for an application that stands behind a proxy, or checks the header itself.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).allow_any_host();
    /// ```
    pub fn allow_any_host(mut self) -> Self {
        self.policy.hosts = None;
        self
    }

    /// The origins whose pages may talk to the server, in place of those on this machine. Each has a scheme, and a port
    /// or `:*` for every one.
    ///
    /// A request from another `Origin` is refused with 403; one without the header comes from no browser.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).allowed_origins(["https://app.example.org:443"]);
    /// ```
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.origins = Some(origins.into_iter().map(Into::into).collect());
        self
    }

    /// Answers whatever the `Origin`: for an application that checks the header itself.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).allow_any_origin();
    /// ```
    pub fn allow_any_origin(mut self) -> Self {
        self.policy.origins = None;
        self
    }

    /// Who finds out who sends a request over HTTP: without having said who it is, nobody is told anything. What is then
    /// listed, read, completed and called is what this caller may; a session is its own who opened it.
    ///
    /// Not asked where the application has found out itself, and put a [`Principal`] that is not anonymous into the
    /// extensions of the request; nor on stdio, where the client is whoever started the server.
    ///
    /// ```
    /// use tool_core::Principal;
    /// use tool_core::authentication::Bearer;
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    ///
    /// let token = "0b7c5f1e9d2a4c68";
    /// let bearer = Bearer::new().token(token, Principal::new("ada").grant("node.edit"))?;
    /// let server = tool_mcp::Server::new(registry).authenticator(bearer);
    /// # Ok::<(), tool_core::authentication::InvalidToken>(())
    /// ```
    pub fn authenticator(mut self, authenticator: impl Authenticator + 'static) -> Self {
        self.policy.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// How long the end waits for calls that are on their way; 10 seconds if it is not said.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).shutdown_deadline(Duration::from_secs(30));
    /// ```
    pub fn shutdown_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the time limit for the head of a request over HTTP, and for idle connections; the default is 10 seconds.
    ///
    /// Like [`write_timeout`](Server::write_timeout) and [`max_connections`](Server::max_connections), it applies to
    /// [`serve_http`](Server::serve_http). An application that serves the router sets limits of its own.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).header_timeout(Duration::from_secs(2));
    /// ```
    pub fn header_timeout(mut self, timeout: Duration) -> Self {
        self.limits.header_timeout = timeout;
        self
    }

    /// Sets the maximum time for receiving a request body over HTTP; a slower one is rejected with 408. The default is 30 seconds.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).body_timeout(Duration::from_secs(5));
    /// ```
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.body_timeout = timeout;
        self
    }

    /// Sets how long an HTTP client may read nothing of its response before the connection is closed; the default is 30 seconds.
    ///
    /// An event stream stays open for as long as the client reads it, even if there are no events.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).write_timeout(Duration::from_secs(5));
    /// ```
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.limits.write_timeout = timeout;
        self
    }

    /// Sets the maximum number of HTTP connections; the default is 512. One over the limit gets 503.
    ///
    /// A client up to 2025-11-25 may use one connection for its event stream, and others for its requests. Each connection is an
    /// open file: the limit of the process must be higher by at least 100.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).max_connections(100);
    /// ```
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.limits.max_connections = connections;
        self
    }

    /// The key that what is known of a call is sealed with while its questions are answered (2026-07-28: `requestState`). It is
    /// as secret as a password, and the same on every server where the answers may arrive: behind a proxy that knows no
    /// sessions, and before and after a restart. Without it each server makes a key of its own.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// # let from_the_vault = [0; 32];
    /// let server = tool_mcp::Server::new(registry).request_state_key(from_the_vault);
    /// ```
    pub fn request_state_key(mut self, key: [u8; 32]) -> Self {
        self.key = Some(Key(key));
        self
    }

    /// How long a client has to answer what a tool asks; an hour if it is not said. Before 2026-07-28, a form that nobody has
    /// answered then counts as dismissed.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).answer_within(Duration::from_secs(5 * 60));
    /// ```
    pub fn answer_within(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }

    /// Serves one client on standard input and output, until it closes the input or the process receives SIGTERM or SIGINT
    /// (Ctrl-C). Requests of 2026-07-28 and those of a session are answered side by side.
    ///
    /// A signal ends the server in good order: new requests are refused and told to try again, calls under way are
    /// answered, and modifying calls run to their end, all within the [deadline](Server::shutdown_deadline). Await this
    /// alone: in a `select!` with a signal of your own, the calls under way would be dropped. From the first call on, the
    /// two signals do not end the process by themselves, also after this has returned.
    ///
    /// Meanwhile both streams are the protocol's alone: on Unix, what a tool prints goes to standard error, and whoever
    /// reads standard input finds its end. Elsewhere nothing but the protocol may be written to standard output.
    ///
    /// # Errors
    ///
    /// When the registry is faulty, or the streams or signals cannot be used. An end of input is no error.
    ///
    /// ```no_run
    /// # use tool_core::Registry;
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::collect()?;
    /// tool_mcp::Server::new(registry).serve_stdio().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let signal = stdio::signal()?;
        self.serve_stdio_until(signal).await
    }

    /// The same for an application that decides itself when to end: until a future is ready, and not at a signal.
    ///
    /// # Errors
    ///
    /// Those of [`serve_stdio`](Server::serve_stdio).
    ///
    /// ```no_run
    /// # async fn serve(registry: tool_core::Registry) -> Result<(), tool_mcp::ServeError> {
    /// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    /// tool_mcp::Server::new(registry).serve_stdio_until(async { stopped.await.unwrap_or_default() }).await
    /// # }
    /// ```
    pub async fn serve_stdio_until(
        self,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let handler = self.opened(None).await?;
        let serving: BoxFuture<'_, _> = Box::pin(stdio::serve(handler, self.deadline, Box::pin(shutdown)));
        serving.await
    }

    /// Listens on an address, where the endpoint is `/mcp`; port 0 takes a free one. [`HttpServer::run`] serves.
    ///
    /// # Errors
    ///
    /// When the registry is faulty, the address cannot be listened on, or it is not loopback and nobody finds out who
    /// calls: see [`authenticator`](Server::authenticator). Behind a proxy that finds it out,
    /// [`into_axum_router`](Server::into_axum_router) stands in an application that listens wherever it likes.
    ///
    /// ```no_run
    /// # use tool_core::Registry;
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::collect()?;
    /// let server = tool_mcp::Server::new(registry).serve_http("127.0.0.1:8080").await?;
    /// eprintln!("listening on http://{}", server.local_addr());
    /// server.run().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve_http(mut self, addr: impl ToSocketAddrs) -> Result<HttpServer, ServeError> {
        // Whoever is not known has no rights of the local caller.
        let handler = self.opened(Some(Principal::anonymous())).await?;
        let addresses: Vec<SocketAddr> = lookup_host(addr).await.map_err(ServeError::Listen)?.collect();
        let exposed = |address: &&SocketAddr| !address.ip().to_canonical().is_loopback();
        if self.policy.authenticator.is_none()
            && let Some(address) = addresses.iter().find(exposed)
        {
            return Err(ServeError::ExecutionExposed(*address));
        }
        let listener = TcpListener::bind(&addresses[..]).await.map_err(ServeError::Listen)?;
        let local_addr = listener.local_addr().map_err(ServeError::Listen)?;
        self.policy.answer_as(local_addr);
        let endpoint = Endpoint::new(handler, &self.policy, self.body_timeout, self.deadline);
        Ok(HttpServer::new(listener, local_addr, endpoint, self.limits))
    }

    /// Returns the endpoint as a router for an application of your own. It answers at the root of the router: put it at
    /// `/mcp` with `nest_service("/mcp", …)`, which unlike `nest` also answers at `/mcp/`.
    ///
    /// Only requests for this machine are admitted until [`allowed_hosts`](Server::allowed_hosts) names the host that the
    /// application is reached by. The application listens, and so decides about `TCP_NODELAY` (on, or streamed answers wait
    /// 40 ms), and awaits [`Registry::drain`](tool_core::Registry::drain) at its end. A graceful shutdown does not end as
    /// long as an older client holds its stream open: use [`into_axum_router_until`](Server::into_axum_router_until).
    ///
    /// # Errors
    ///
    /// When the registry is faulty.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let mcp = tool_mcp::Server::new(registry).allowed_hosts(["tools.example.org"]).into_axum_router()?;
    /// let app: axum::Router = axum::Router::new().nest_service("/mcp", mcp);
    /// # Ok::<(), tool_mcp::ServeError>(())
    /// ```
    pub fn into_axum_router(self) -> Result<Router, ServeError> {
        self.into_axum_router_until(std::future::pending())
    }

    /// Returns the same router, which ends in good order once a future is ready: a new request is refused and told to try
    /// again, the answers on their way are given within the [deadline](Server::shutdown_deadline), and then sessions and
    /// streams end. Give it the signal that you give to axum's `with_graceful_shutdown`.
    ///
    /// # Errors
    ///
    /// When the registry is faulty.
    ///
    /// ```
    /// use tokio_util::sync::CancellationToken;
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let stop = CancellationToken::new();
    /// let server = tool_mcp::Server::new(registry.clone());
    /// let mcp = server.into_axum_router_until(stop.clone().cancelled_owned()).unwrap();
    /// let app = axum::Router::new().nest_service("/mcp", mcp);
    ///
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    /// # stop.cancel();
    /// axum::serve(listener, app).with_graceful_shutdown(stop.cancelled_owned()).await.unwrap();
    /// registry.drain().await;
    /// # });
    /// ```
    pub fn into_axum_router_until(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Router, ServeError> {
        let handler = self.opened_at_once(Some(Principal::anonymous()))?;
        Ok(Endpoint::router_until(handler, &self.policy, self.body_timeout, self.deadline, shutdown))
    }
}
