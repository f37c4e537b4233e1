//! A server of its own, for an application that has none.

use std::future::Future;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs, lookup_host};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tool_core::{BuildErrors, Registry};

use crate::gate::Gate;
use crate::options::ServeOptions;
use crate::router::router_with;

/// The head of a request, in bytes and in headers: more is 431. The target alone may have 64 KiB: more is 414.
const HEAD_BYTES: usize = 128 * 1024;
const HEADERS: usize = 100;

/// Serves a registry until the program is asked to end by `SIGINT` or `SIGTERM`; asked twice, it ends at once.
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
pub async fn serve(
    registry: Registry,
    addr: impl ToSocketAddrs,
    options: impl Into<ServeOptions>,
) -> Result<(), ServeError> {
    let server = Server::bind(registry, addr, options).await?;
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
/// It answers only for its own hosts and to its own pages, bounds what a connection may send and how slowly, and ends
/// without cutting off calls. See [`ServeOptions`].
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
    gate: Gate,
    registry: Registry,
    options: ServeOptions,
}

impl Server {
    /// Checks the registry, and binds the address.
    ///
    /// # Errors
    ///
    /// When the registry has faults, the address cannot be had, or execution is on and the address is not loopback: see
    /// [`ServeError`].
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use tool_http::{Options, Server, ServeError};
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let refused = Server::bind(registry, "0.0.0.0:0", Options::new().allow_execute(true)).await;
    /// assert!(matches!(refused, Err(ServeError::ExecutionExposed(_))));
    /// # });
    /// ```
    pub async fn bind(
        registry: Registry,
        addr: impl ToSocketAddrs,
        options: impl Into<ServeOptions>,
    ) -> Result<Self, ServeError> {
        let options = options.into();
        registry.check()?;
        let addresses: Vec<SocketAddr> = lookup_host(addr).await.map_err(ServeError::Bind)?.collect();
        let exposed = |address: &&SocketAddr| !address.ip().to_canonical().is_loopback();
        if options.router.allow_execute
            && let Some(address) = addresses.iter().find(exposed)
        {
            return Err(ServeError::ExecutionExposed(*address));
        }
        let listener = TcpListener::bind(&addresses[..]).await.map_err(ServeError::Bind)?;
        let address = listener.local_addr().map_err(ServeError::Bind)?;
        let gate = Gate::new(address.ip(), &options.hosts, &options.origins)?;
        Ok(Server { listener, address, gate, registry, options })
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
        let Server { mut listener, gate, registry, options, .. } = self;
        let router = guarded(router_with(registry.clone(), options.router.clone()), gate);
        let connection = Connection { http: http(&options), router };
        let places = Arc::new(Semaphore::new(options.max_connections));
        let graceful = GracefulShutdown::new();
        let mut open = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await;
                // Also waits where the process has no more files to give: an accept that fails does not spin.
                (Listener::accept(&mut listener).await.0, place)
            };
            tokio::select! {
                () = &mut shutdown => break,
                (stream, place) = next => {
                    open.spawn(connection.serve(stream, place.ok(), &graceful));
                }
                Some(_) = open.join_next() => {}
            }
        }
        drop(listener);
        let drained = tokio::time::timeout(options.drain_timeout, async {
            graceful.shutdown().await;
            registry.idle().await;
        });
        if drained.await.is_err() {
            tracing::warn!(
                connections = open.len(),
                "calls were still on their way at the end of the drain timeout"
            );
        }
    }
}

/// Every route behind the gate; a browser is told not to guess what an answer is.
fn guarded(router: Router, gate: Gate) -> Router {
    let gate = Arc::new(gate);
    router.layer(from_fn(move |request: Request, next: Next| {
        let gate = Arc::clone(&gate);
        async move {
            let mut response: Response = match gate.admit(&request) {
                Ok(()) => next.run(request).await,
                Err(refusal) => refusal.into_response(),
            };
            let nosniff = HeaderValue::from_static("nosniff");
            response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
            response
        }
    }))
}

fn http(options: &ServeOptions) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(options.header_timeout)
        .max_headers(HEADERS)
        .max_header_size(HEAD_BYTES);
    http
}

/// What all connections have in common.
struct Connection {
    http: http1::Builder,
    router: Router,
}

impl Connection {
    fn serve(
        &self,
        stream: TcpStream,
        place: Option<OwnedSemaphorePermit>,
        graceful: &GracefulShutdown,
    ) -> impl Future<Output = ()> + Send + 'static {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        let service = TowerToHyperService::new(self.router.clone());
        let connection = graceful.watch(self.http.serve_connection(TokioIo::new(stream), service));
        async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke");
            }
            drop(place);
        }
    }
}

/// Why a server did not start.
///
/// ```
/// let error = tool_http::ServeError::Host("a b".to_owned());
/// assert_eq!(error.to_string(), "`a b` is no host\nhelp: give its name or address alone, as in `tools.example.org`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The registry has faults.
    #[error(transparent)]
    Registry(#[from] BuildErrors),
    /// Tools could be run by anybody who reaches this address.
    #[error(
        "tool execution would be open to the network on `{0}`\nhelp: listen on a loopback address such as 127.0.0.1, or leave execution off"
    )]
    ExecutionExposed(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on the address: {0}")]
    Bind(#[source] io::Error),
    /// An allowed host is none.
    #[error("`{0}` is no host\nhelp: give its name or address alone, as in `tools.example.org`")]
    Host(String),
    /// An allowed origin is none.
    #[error("`{0}` is no origin\nhelp: give scheme, host and port, as in `https://tools.example.org`")]
    Origin(String),
}
