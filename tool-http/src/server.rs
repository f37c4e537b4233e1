//! A server of its own, for an application that has none.

mod connections;
pub(crate) mod error;
mod service;

use std::future::Future;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::pin;

use axum::serve::Listener;
use tokio::net::{TcpListener, ToSocketAddrs, lookup_host};
use tool_core::provider::IntoToolsProvider;

pub use error::ServeError;

use crate::api::Api;
use crate::options::ServeOptions;
use crate::request_filter::RequestFilter;
use crate::server::connections::Connections;

/// Serves the tools of a provider until the program is asked to end by `SIGINT` or `SIGTERM`; asked twice, it ends at once.
///
/// The first line on stderr is `listening on http://ADDR`, with the port that a port of 0 became. [`Server`] is the
/// same for programs that print their own.
///
/// # Errors
///
/// When it cannot start: see [`ServeError`].
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
    options: impl Into<ServeOptions>,
) -> Result<(), ServeError> {
    let server = Server::bind(provider, addr, options).await?;
    // Nobody may read stderr, and that is no reason not to serve.
    let _ = writeln!(io::stderr(), "listening on http://{}", server.local_addr());
    let insisted = async {
        terminated().await;
        terminated().await;
    };
    tokio::select! {
        () = server.run(terminated()) => {}
        () = insisted => tracing::warn!("ended before all calls did"),
    }
    Ok(())
}

/// Waits until the program is asked to end, by `SIGINT` or `SIGTERM` (elsewhere by Ctrl-C).
///
/// ```no_run
/// # async fn example(server: tool_http::Server) {
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

/// A server that is bound to its address and has not begun to accept.
///
/// It answers only for its own hosts and to its own pages, bounds what a connection may send and take and how slowly, and
/// ends without cutting off calls. `GET /health` says that it is there, however many connections there are. See
/// [`ServeOptions`].
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use tool_http::{Options, Server};
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::bind(registry, "127.0.0.1:0", Options::new().allow_execute(true)).await.unwrap();
/// assert_ne!(server.local_addr().port(), 0);
/// server.run(std::future::ready(())).await;
/// # });
/// ```
#[derive(Debug)]
#[must_use = "a server answers nobody until `run`"]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    request_filter: RequestFilter,
    api: Api,
    options: ServeOptions,
}

impl Server {
    /// Asks the provider for its tools, checks them, and binds the address.
    ///
    /// A provider that has none to give at the moment may have some later: why is in the log, and the server starts.
    ///
    /// # Errors
    ///
    /// When the tools have faults, the address cannot be had, or execution is on, the address is not loopback and nobody
    /// finds out who calls: see [`ServeError`].
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use tool_http::{Options, Server, ServeError};
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let refused = Server::bind(registry, "0.0.0.0:0", Options::new().allow_execute(true)).await;
    /// assert!(matches!(refused, Err(ServeError::ExecutionExposed(_))));
    /// # });
    /// ```
    pub async fn bind<Marker>(
        provider: impl IntoToolsProvider<Marker>,
        addr: impl ToSocketAddrs,
        options: impl Into<ServeOptions>,
    ) -> Result<Self, ServeError> {
        let options = options.into();
        let api = Api::new(provider.into_provider(), options.router.clone());
        // One that does not answer now may answer later, as one that fails may.
        if let Ok(Ok(tools)) = tokio::time::timeout(options.request_timeout, api.tools()).await {
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
        Ok(Server { listener, address, request_filter, api, options })
    }

    /// The address, with the port that a port of 0 became.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use tool_http::{Options, Server};
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let server = Server::bind(registry, "127.0.0.1:0", Options::new()).await.unwrap();
    /// println!("http://{}", server.local_addr());
    /// # });
    /// ```
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is there, then accepts no more and waits for the calls on their way, up to the
    /// [drain timeout](ServeOptions::drain_timeout).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use tool_http::{Options, Server};
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// # let server = Server::bind(registry, "127.0.0.1:0", Options::new()).await.unwrap();
    /// # let stop = std::future::ready(());
    /// server.run(stop).await;
    /// # });
    /// ```
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Server { mut listener, request_filter, api, options, .. } = self;
        let mut connections = Connections::new(&api, request_filter, &options);
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                // Also waits where the process has no more files to give: an accept that fails does not spin.
                (stream, _) = Listener::accept(&mut listener) => connections.take(stream),
                () = connections.next_closed() => {}
            }
        }
        drop(listener);
        let left = connections.drain(options.drain_timeout, api.drain()).await;
        if left > 0 {
            tracing::warn!(
                connections = left,
                "calls were still on their way at the end of the drain timeout"
            );
        }
    }
}
