//! A standalone server.

pub(crate) mod error;
mod service;

use std::future::Future;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, ToSocketAddrs, lookup_host};
use tool_core::adapter::{self, ListenAddr, Serve, ServeCommand};
use tool_core::provider::{IntoToolsProvider, Provider};
use tool_core::{BoxFuture, Principal};
use tool_serve::{Acceptor, Connections};

pub use error::ServeError;

use crate::api::Api;
use crate::options::ServerOptions;
use crate::request_filter::RequestFilter;

/// How long a start waits for the tools of a provider, in order to check them.
const CHECK_PATIENCE: Duration = Duration::from_secs(1);

/// Serves the tools of a provider until `SIGINT` or `SIGTERM`. A second signal ends the server at once.
///
/// Prints `listening on http://ADDR` to stderr, with the actual port if `addr` has port 0. Use [`Server`] to print
/// something else.
///
/// # Errors
///
/// Returns a [`ServeError`] if the server cannot start.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use tool_http::Options;
///
/// let registry = tool_core::Registry::collect()?;
/// tool_http::serve(registry, "127.0.0.1:8080", Options::new().allow_execute(true)).await?;
/// # Ok(())
/// # }
/// ```
pub async fn serve<Marker>(
    provider: impl IntoToolsProvider<Marker>,
    addr: impl ToSocketAddrs,
    options: impl Into<ServerOptions>,
) -> Result<(), ServeError> {
    let server = Server::new(provider).options(options).bind(addr).await?;
    // A closed stderr does not prevent serving.
    let _ = writeln!(io::stderr(), "listening on http://{}", server.local_addr());
    let insisted = async {
        terminated().await;
        terminated().await;
    };
    tokio::select! {
        () = server.run(terminated()) => {}
        () = insisted => tracing::warn!("stopped before all calls finished"),
    }
    Ok(())
}

/// Waits for `SIGINT` or `SIGTERM`; on other systems than Unix, for Ctrl-C.
///
/// ```no_run
/// # async fn example(server: tool_http::BoundServer) {
/// server.run(tool_http::terminated()).await;
/// # }
/// ```
pub async fn terminated() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signals) => {
                signals.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}

/// A server of a registry, or of another provider of tools, that is not bound to an address yet.
///
/// It accepts only requests for its own hosts and from its own pages, limits the size and time of requests, and shuts down
/// gracefully. `GET /health` works even when there are too many connections. See [`ServerOptions`].
///
/// `App::server` of `tool-cli` takes it as it is: `serve NAME` listens on `127.0.0.1:8080` or `--addr`, and runs tools with
/// `--allow-execute` or [`Options::allow_execute`](crate::Options::allow_execute). Its default [title](crate::Options::title) is the
/// name of the application.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use tool_http::{Options, Server};
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).options(Options::new().allow_execute(true));
/// let server = server.bind("127.0.0.1:0").await.unwrap();
/// assert_ne!(server.local_addr().port(), 0);
/// server.run(std::future::ready(())).await;
/// # });
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server does nothing until it is bound and run"]
pub struct Server {
    provider: Provider,
    options: ServerOptions,
}

impl Server {
    /// Creates a server with the default options. The tools come from a [`Registry`](tool_core::Registry), a list, a function or an
    /// `async` function, which is called once per request.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_http::Server::new(registry);
    /// ```
    pub fn new<Marker>(provider: impl IntoToolsProvider<Marker>) -> Self {
        Server { provider: provider.into_provider(), options: ServerOptions::default() }
    }

    /// Sets the options: [`Options`](crate::Options) of the router, or [`ServerOptions`] with limits of connections.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_http::Server::new(registry).options(tool_http::Options::new().title("Weather"));
    /// ```
    pub fn options(mut self, options: impl Into<ServerOptions>) -> Self {
        self.options = options.into();
        self
    }

    /// Loads the tools of the provider, checks them, and binds the address.
    ///
    /// If the provider fails, the cause is logged and the server starts: the provider may work later. If it takes more than a
    /// second, it is not waited for, and its tools are not checked.
    ///
    /// # Errors
    ///
    /// Returns a [`ServeError`] if the tools are invalid, the address is unavailable, or execution would be allowed on a
    /// public address without an authenticator.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use tool_http::{Options, Server, ServeError};
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let refused = Server::new(registry).options(Options::new().allow_execute(true)).bind("0.0.0.0:0").await;
    /// assert!(matches!(refused, Err(ServeError::ExecutionExposed(_))));
    /// # });
    /// ```
    pub async fn bind(self, addr: impl ToSocketAddrs) -> Result<BoundServer, ServeError> {
        let Server { provider, options } = self;
        let api = Api::new(provider, options.router.clone());
        // A provider that fails or takes its time now may work later.
        let anybody = Principal::anonymous();
        let patience = options.request_timeout.min(CHECK_PATIENCE);
        if let Ok(Ok(tools)) = tokio::time::timeout(patience, api.tools(&anybody)).await {
            tools.check()?;
        }
        if options.router.protect_discovery && options.router.authenticator.is_none() {
            return Err(ServeError::NoAuthenticator);
        }
        let addresses: Vec<SocketAddr> = lookup_host(addr).await.map_err(ServeError::Bind)?.collect();
        let exposed = |address: &&SocketAddr| !address.ip().to_canonical().is_loopback();
        if options.router.allow_execute
            && options.router.authenticator.is_none()
            && let Some(address) = addresses.iter().find(exposed)
        {
            return Err(ServeError::ExecutionExposed(*address));
        }
        let listener = TcpListener::bind(&addresses[..]).await.map_err(ServeError::Bind)?;
        let address = listener.local_addr().map_err(ServeError::Bind)?;
        let origins: Vec<&String> = options.origins.iter().chain(&options.router.cors).collect();
        let request_filter = RequestFilter::new(address.ip(), &options.hosts, &origins)?;
        Ok(BoundServer { listener, address, request_filter, api, options })
    }
}

impl Serve for Server {
    fn command(&self) -> ServeCommand {
        let addr = ListenAddr::Default(([127, 0, 0, 1], 8080).into());
        ServeCommand::new("Serve HTTP", addr).allow_execute(true)
    }

    fn serve(
        mut self,
        options: adapter::ServeOptions,
    ) -> BoxFuture<'static, Result<(), adapter::ServeError>> {
        Box::pin(async move {
            self.options.router.allow_execute |= options.allow_execute;
            if self.options.router.title.is_none() && !options.name.is_empty() {
                self.options.router.title = Some(options.name.clone());
            }
            let server = self.bind(options.addr.ok_or("an address is needed")?).await?;
            options.listening(server.local_addr());
            server.run(options.shutdown()).await;
            Ok(())
        })
    }
}

/// A server that is bound to its address, but does not accept connections yet.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server: tool_http::BoundServer = tool_http::Server::new(registry).bind("127.0.0.1:0").await.unwrap();
/// # drop(server);
/// # });
/// ```
#[derive(Debug)]
#[must_use = "a server does nothing until `run`"]
pub struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    request_filter: RequestFilter,
    api: Api,
    options: ServerOptions,
}

impl BoundServer {
    /// Returns the bound address, with the actual port.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_http::Server::new(registry).bind("127.0.0.1:0").await.unwrap();
    /// println!("http://{}", server.local_addr());
    /// # });
    /// ```
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` completes, then waits for running calls up to the
    /// [drain timeout](ServerOptions::drain_timeout).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// # let server = tool_http::Server::new(registry).bind("127.0.0.1:0").await.unwrap();
    /// # let stop = std::future::ready(());
    /// server.run(stop).await;
    /// # });
    /// ```
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let BoundServer { listener, request_filter, api, options, .. } = self;
        let request_filter = Arc::new(request_filter);
        let mut connections = Connections::new(
            &options.limits,
            service::service(&api, &request_filter, options.request_timeout),
            service::overload_service(&request_filter),
        );
        let mut acceptor = Acceptor::new(listener);
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                stream = acceptor.accept() => connections.serve(stream),
                () = connections.next_closed() => {}
            }
        }
        drop(acceptor);
        let left = connections.drain(options.drain_timeout, api.drain()).await;
        if left > 0 {
            tracing::warn!(connections = left, "calls were still running at the end of the drain timeout");
        }
    }
}
