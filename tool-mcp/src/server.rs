//! The builder of a server, and how it starts to serve.

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
use tool_serve::Limits;

use crate::changes::Changes;
use crate::custom::DynamicPrompt;
use crate::elicitation::StateKey;
use crate::error::ServeError;
use crate::http::{HttpServer, Policy, router_until};
use crate::session_store::SessionStore;
use crate::settings::Settings;
use crate::stdio;
use crate::updates::Updates;

/// Serves the tools of a [`Registry`](tool_core::Registry) over the Model Context Protocol.
///
/// Clients of 2026-07-28 and those that open with `initialize` (up to 2025-11-25) are served on the same endpoint.
///
/// `App::server` of `tool-cli` takes it as it is: `serve NAME` serves one client on standard input and output, or listens on `--addr`.
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
    /// Without a name or version, it is empty.
    identity: Implementation,
    instructions: Option<String>,
    /// `None` to derive the scheme from the name.
    scheme: Option<String>,
    settings: Settings,
    changes: Option<Changes>,
    updates: Option<Updates>,
    prompts: Vec<DynamicPrompt>,
    policy: Policy,
    limits: Limits,
    deadline: Duration,
    /// The keys of `requestState`; `None` for a random one.
    keys: Option<Vec<StateKey>>,
    answer_timeout: Duration,
}

impl Server {
    /// Creates a server named after the program: set [`name`](Server::name) and [`version`](Server::version), which clients show to
    /// people, unless `tool-cli` starts it. The tools come from a [`Registry`](tool_core::Registry), a list, a function
    /// or an `async` function, which is called once per request.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry);
    /// ```
    pub fn new<Marker>(provider: impl IntoToolsProvider<Marker>) -> Self {
        Server {
            provider: provider.into_provider(),
            identity: Implementation::new("", ""),
            instructions: None,
            scheme: None,
            settings: Settings::default(),
            changes: None,
            updates: None,
            prompts: Vec::new(),
            policy: Policy::default(),
            limits: Limits::default(),
            deadline: Duration::from_secs(10),
            keys: None,
            answer_timeout: Duration::from_secs(60 * 60),
        }
    }

    setters! {
        self, "# let registry = tool_core::Registry::builder().allow_empty().build().unwrap();",
            "let server = tool_mcp::Server::new(registry)";

        /// Sets the name of the server for clients. Default: that of the application if `tool-cli` starts it, or else the file name of
        /// the program.
        name(name: impl Into<String>) => self.identity.name = name.into(), example("weather");

        /// Sets the name that people see.
        title(title: impl Into<String>) => self.identity.title = Some(title.into()), example("Weather archive");

        /// Sets the version of the application, which clients show to people. Default: that of the application if `tool-cli` starts
        /// the server. Without one, or if it is empty, clients read `unknown`, since the protocol requires a version.
        version(version: impl Into<String>) => self.identity.version = version.into(),
            example(env!("CARGO_PKG_VERSION"));

        /// Sets the hosts, with or without a port, for which requests are answered. Default: the loopback names.
        ///
        /// A request for another `Host` is answered with 403, which protects against DNS rebinding.
        allowed_hosts(hosts: impl IntoIterator<Item = impl Into<String>>)
            => self.policy.hosts = Some(hosts.into_iter().map(Into::into).collect()),
            example(["tools.example.org"]);

        /// Sets the origins whose pages may send requests. Each has a scheme, and a port or `:*` for any. Default: pages from this
        /// machine.
        ///
        /// A request from another `Origin` is answered with 403; one without the header does not come from a browser.
        allowed_origins(origins: impl IntoIterator<Item = impl Into<String>>)
            => self.policy.origins = Some(origins.into_iter().map(Into::into).collect()),
            example(["https://app.example.org:443"]);

        /// Sets how long a shutdown waits for running calls. Default: 10 seconds.
        shutdown_deadline(deadline: Duration) => self.deadline = deadline, example(std::time::Duration::from_secs(30));

        /// Sets the time limit for the head of a request over HTTP, and for idle connections. Default: 10 seconds.
        ///
        /// Like [`write_timeout`](Server::write_timeout) and [`max_connections`](Server::max_connections), it applies to
        /// [`serve_http`](Server::serve_http). An application that serves the router sets limits of its own.
        header_timeout(timeout: Duration) => self.limits.header_timeout = timeout, example(std::time::Duration::from_secs(2));

        /// Sets the time limit for the body of a request over HTTP; a slower one is rejected with 408. Default: 30 seconds.
        body_timeout(timeout: Duration) => self.policy.body_timeout = timeout, example(std::time::Duration::from_secs(5));

        /// Sets how long an HTTP client may read nothing of its response before the connection is closed. Default: 30 seconds. A
        /// client that is gone without closing the connection is noticed after about twice this time.
        ///
        /// An event stream stays open for as long as the client reads it, even if there are no events.
        write_timeout(timeout: Duration) => self.limits.write_timeout = timeout, example(std::time::Duration::from_secs(5));

        /// Sets the maximum number of HTTP connections. Default: 512. One over the limit gets 503.
        ///
        /// A client up to 2025-11-25 may use one connection for its event stream, and others for its requests. Each connection is
        /// an open file: the limit of the process must be higher by at least 100.
        max_connections(connections: usize) => self.limits.max_connections = connections, example(100);

        /// Sets how long a client has to answer the question of a tool. Default: an hour. Before 2026-07-28, an unanswered form
        /// then counts as dismissed.
        answer_within(time: Duration) => self.answer_timeout = time, example(std::time::Duration::from_secs(5 * 60));

        /// Sets whether clients up to 2025-11-25 are served. Default: yes. If not, `initialize` and all that follows it are
        /// refused with one sentence (-32022, over HTTP 400): no request depends on which replica it reaches.
        legacy(served: bool) => self.settings.modern_only = !served, example(false);
    }

    /// Answers requests for any `Host`: for an application behind a proxy, or one that checks the header itself.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).allow_any_host();
    /// ```
    pub fn allow_any_host(mut self) -> Self {
        self.policy.hosts = None;
        self
    }

    /// Answers requests from any `Origin`: for an application that checks the header itself.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).allow_any_origin();
    /// ```
    pub fn allow_any_origin(mut self) -> Self {
        self.policy.origins = None;
        self
    }

    /// Sets what identifies the caller of each HTTP request. An unidentified caller is refused. Lists, reads, completions and
    /// calls follow the permissions of the caller, and a session belongs to the caller that opened it.
    ///
    /// The authenticator does not run if the application has put a [`Principal`] that is not anonymous into the extensions
    /// of the request, nor on stdio, where the caller is the user that started the server.
    ///
    /// ```
    /// use tool_core::{Principal, authentication::Bearer};
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    ///
    /// let bearer = Bearer::new().token("0b7c5f1e9d2a4c68", Principal::new("ada").grant("node.edit"))?;
    /// let server = tool_mcp::Server::new(registry).authenticator(bearer);
    /// # Ok::<(), tool_core::authentication::InvalidToken>(())
    /// ```
    pub fn authenticator(mut self, authenticator: impl Authenticator + 'static) -> Self {
        self.policy.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Sets the secret keys that sign the state of a call while its client answers questions (2026-07-28: `requestState`).
    /// The first one signs; states that any of them has signed are accepted. Default: a random key, so that only this server
    /// accepts the state, until it restarts.
    ///
    /// All servers that may receive the answers need the same keys: behind a load balancer, and across restarts. To rotate,
    /// restart them with `[old, new]`, then with `[new, old]`, and after [`answer_within`](Server::answer_within) with `[new]`.
    /// The client can read the state: its own identifier and answers, and digests of the arguments and questions.
    ///
    /// With an empty list, the server does not start.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// # let (from_the_vault, previous) = ([1; 32], [2; 32]);
    /// let server = tool_mcp::Server::new(registry).request_state_keys([from_the_vault, previous]);
    /// ```
    pub fn request_state_keys(mut self, keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        self.keys = Some(keys.into_iter().map(StateKey).collect());
        self
    }

    /// Sets the store of the sessions of clients up to 2025-11-25, so that each replica behind a load balancer continues those of
    /// the others. Default: a session lives in the process that opened it. Requests of 2026-07-28 have no session.
    ///
    /// Each request of a session is one query of the store, which finds the session, its owner, its log level and its
    /// subscriptions. If the store fails, the client is answered with 503 and `Retry-After`, and may try again. An unused
    /// session expires after five minutes. A deleted one ends everywhere with its next request, and its open streams within 30
    /// seconds.
    ///
    /// What is under way stays at its replica: streams and their history, calls that a client may cancel, and questions of tools
    /// to their client. A response that reaches another replica is answered with 400. Notifications and log messages reach a
    /// client on the streams that it has at the replica that sends them.
    ///
    /// The crate `tool-replicas` has a store over PostgreSQL. The example of [`SessionStore`] is a store in memory.
    ///
    /// ```
    /// # fn serve(registry: tool_core::Registry, sessions: std::sync::Arc<dyn tool_mcp::SessionStore>) {
    /// let server = tool_mcp::Server::new(registry).sessions(sessions);
    /// # }
    /// ```
    pub fn sessions(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.policy.sessions = Some(store);
        self
    }

    /// Serves one client on standard input and output, until it closes the input or the process receives SIGTERM or SIGINT
    /// (Ctrl-C).
    ///
    /// After a signal, new requests are refused, running calls are answered, and modifying calls run to their end, all within
    /// the [deadline](Server::shutdown_deadline). Do not put this future into a `select!` with a signal of your own: that
    /// would drop the running calls. The two signals no longer end the process by themselves, even after this has returned.
    ///
    /// Both streams are reserved for the protocol: on Unix, what a tool prints goes to standard error, and standard input is
    /// at its end for it. On other systems, write nothing to standard output.
    ///
    /// # Errors
    ///
    /// When the registry is invalid, or the streams or signals cannot be used. An end of input is not an error.
    ///
    /// ```no_run
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// tool_mcp::Server::new(tool_core::Registry::collect()?).serve_stdio().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let signal = stdio::signal()?;
        self.serve_stdio_until(signal).await
    }

    /// Serves like [`serve_stdio`](Server::serve_stdio), but until a future completes instead of until a signal.
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
        let handler = self.checked_handler(None).await?;
        let serving: BoxFuture<'_, _> = Box::pin(stdio::serve(handler, self.deadline, Box::pin(shutdown)));
        serving.await
    }

    /// Listens on an address, with the endpoint at `/mcp`; port 0 takes a free one. [`HttpServer::run`] serves.
    ///
    /// A provider of tools has a second to answer, and its tools are then checked. A slower one may answer later, and is not
    /// waited for.
    ///
    /// # Errors
    ///
    /// When the registry is invalid, when the server cannot listen on the address, or when the address is not loopback and
    /// there is no [`authenticator`](Server::authenticator). Behind a proxy that identifies callers, use
    /// [`into_axum_router`](Server::into_axum_router), which listens wherever the application does.
    ///
    /// ```no_run
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = tool_core::Registry::collect()?;
    /// tool_mcp::Server::new(registry).serve_http("127.0.0.1:8080").await?.run().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve_http(mut self, addr: impl ToSocketAddrs) -> Result<HttpServer, ServeError> {
        // An unidentified caller does not have the permissions of the local one.
        let handler = self.checked_handler(Some(Principal::anonymous())).await?;
        let addresses: Vec<SocketAddr> = lookup_host(addr).await.map_err(ServeError::Listen)?.collect();
        let exposed = |address: &&SocketAddr| !address.ip().to_canonical().is_loopback();
        if self.policy.authenticator.is_none()
            && let Some(address) = addresses.iter().find(exposed)
        {
            return Err(ServeError::ExecutionExposed(*address));
        }
        let listener = TcpListener::bind(&addresses[..]).await.map_err(ServeError::Listen)?;
        let local_addr = listener.local_addr().map_err(ServeError::Listen)?;
        self.policy.allow_address(local_addr);
        Ok(HttpServer::new(listener, local_addr, handler, &self.policy, self.limits, self.deadline))
    }

    /// Returns the endpoint as a router for your own application. It answers at the root of the router: mount it with
    /// `nest_service("/mcp", …)`, which unlike `nest` also answers at `/mcp/`.
    ///
    /// Only requests for this machine are allowed until [`allowed_hosts`](Server::allowed_hosts) names the host of the
    /// application. Set `TCP_NODELAY` on the connections, or streamed answers wait 40 ms, and await
    /// [`Registry::drain`](tool_core::Registry::drain) at the end. For a graceful shutdown use
    /// [`into_axum_router_until`](Server::into_axum_router_until): otherwise it waits for the open streams of older clients.
    ///
    /// # Errors
    ///
    /// When the registry is invalid.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let mcp = tool_mcp::Server::new(registry).allowed_hosts(["tools.example.org"]).into_axum_router()?;
    /// let app: axum::Router = axum::Router::new().nest_service("/mcp", mcp);
    /// # Ok::<(), tool_mcp::ServeError>(())
    /// ```
    pub fn into_axum_router(self) -> Result<Router, ServeError> {
        self.into_axum_router_until(std::future::pending())
    }

    /// Returns the same router, which shuts down once a future completes: new requests are refused, running ones are answered
    /// within the [deadline](Server::shutdown_deadline), and then sessions and streams end. Pass the signal that you pass to
    /// axum's `with_graceful_shutdown`.
    ///
    /// # Errors
    ///
    /// When the registry is invalid.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let stop = tokio_util::sync::CancellationToken::new();
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
        let handler = self.handler_checked_at_once(Some(Principal::anonymous()))?;
        Ok(router_until(handler, &self.policy, self.deadline, shutdown))
    }
}
