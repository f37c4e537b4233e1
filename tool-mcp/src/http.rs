//! The HTTP transport: the endpoint as a router, and a server of it that ends in good order.

mod body;
mod endpoint;
mod headers;
mod holding;
mod identity;
mod media;
mod policy;
mod rejection;
mod sessions;
mod shutdown;
mod stream;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::routing::any;
use axum::serve::Listener;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tool_serve::{Connections, Limits};

pub(crate) use policy::Policy;

use crate::clock::after;
use crate::error::ServeError;
use crate::handlers::Handler;
use crate::http::endpoint::McpEndpoint;
use crate::http::rejection::Rejection;
use crate::http::shutdown::{Shutdown, SignalTask};

/// How long connections have to close once every answer was given or given up.
const CLOSING: Duration = Duration::from_secs(1);

/// The endpoint of both eras of the protocol.
pub(crate) struct Endpoint {
    /// Answers at its root.
    router: Router,
    shutdown: Shutdown,
}

impl Endpoint {
    pub(crate) fn new(
        handler: Arc<Handler>,
        policy: &Policy,
        body_timeout: Duration,
        deadline: Duration,
    ) -> Self {
        let shutdown = Shutdown::new(handler, deadline);
        Endpoint { router: router(McpEndpoint::new(&shutdown, policy, body_timeout), None), shutdown }
    }

    /// Returns a router that ends once a future is ready.
    pub(crate) fn router_until(
        handler: Arc<Handler>,
        policy: &Policy,
        body_timeout: Duration,
        deadline: Duration,
        signal: impl Future<Output = ()> + Send + 'static,
    ) -> Router {
        let shutdown = Shutdown::new(handler, deadline);
        let ending = shutdown.clone();
        let signal_task = SignalTask::new(async move {
            signal.await;
            ending.run().await;
        });
        router(McpEndpoint::new(&shutdown, policy, body_timeout), Some(signal_task))
    }
}

/// Layers of a router would each be cloned for every request: there are none.
fn router(endpoint: McpEndpoint, signal_task: Option<SignalTask>) -> Router {
    let shared = Arc::new((endpoint, signal_task));
    Router::new().route(
        "/",
        any(move |request: Request| {
            let shared = Arc::clone(&shared);
            async move {
                let (endpoint, signal_task) = &*shared;
                if let Some(signal_task) = signal_task {
                    signal_task.start();
                }
                endpoint.respond(request).await
            }
        }),
    )
}

/// A server that listens, and serves once it runs.
///
/// ```
/// use tool_core::Registry;
/// use tool_mcp::Server;
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let registry = Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).serve_http("127.0.0.1:0").await.unwrap();
/// eprintln!("listening on http://{}", server.local_addr());
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// # stop.send(()).unwrap();
/// server.run_until(async { stopped.await.unwrap_or_default() }).await.unwrap();
/// # });
/// ```
#[must_use = "nobody is answered until `run`"]
pub struct HttpServer {
    listener: TcpListener,
    local_addr: SocketAddr,
    router: Router,
    shutdown: Shutdown,
    limits: Limits,
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer").field("local_addr", &self.local_addr).finish_non_exhaustive()
    }
}

impl HttpServer {
    pub(crate) fn new(
        listener: TcpListener,
        local_addr: SocketAddr,
        endpoint: Endpoint,
        limits: Limits,
    ) -> Self {
        let Endpoint { router, shutdown } = endpoint;
        // Unlike `nest`, this answers at `/mcp/` as well.
        let router = Router::new().nest_service("/mcp", router);
        HttpServer { listener, local_addr, router, shutdown, limits }
    }

    /// The address that the server listens on, with the port that it took.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = Registry::builder().allow_empty().build().unwrap();
    /// let server = tool_mcp::Server::new(registry).serve_http("127.0.0.1:0").await.unwrap();
    /// assert_ne!(server.local_addr().port(), 0);
    /// # });
    /// ```
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    ///
    /// When the listener fails.
    ///
    /// ```no_run
    /// # async fn serve(registry: tool_core::Registry) -> Result<(), tool_mcp::ServeError> {
    /// tool_mcp::Server::new(registry).serve_http("127.0.0.1:8080").await?.run().await
    /// # }
    /// ```
    pub async fn run(self) -> Result<(), ServeError> {
        self.run_until(std::future::pending()).await
    }

    /// Serves until a future is ready, and then ends in good order: no new connections, the answers on their way are
    /// given, sessions and streams end, and modifying calls run to their end, all within the deadline.
    ///
    /// # Errors
    ///
    /// When the listener fails.
    ///
    /// ```no_run
    /// # async fn serve(registry: tool_core::Registry) -> Result<(), tool_mcp::ServeError> {
    /// let server = tool_mcp::Server::new(registry).serve_http("127.0.0.1:8080").await?;
    /// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    /// server.run_until(async { stopped.await.unwrap_or_default() }).await
    /// # }
    /// ```
    pub async fn run_until(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), ServeError> {
        let closing = CancellationToken::new();
        let serving = serve(self.listener, self.router, self.limits, closing.clone());
        let mut serving = AbortOnDropHandle::new(tokio::spawn(serving));
        tokio::select! {
            ended = &mut serving => return ended.map_err(std::io::Error::other).map_err(ServeError::Http),
            () = shutdown => closing.cancel(),
        }
        let deadline = self.shutdown.run().await;
        let closed = timeout_at(deadline.max(after(CLOSING)), serving).await;
        if closed.is_err() {
            tracing::warn!("connections did not close in time");
        }
        self.shutdown.handler.settle(deadline.saturating_duration_since(Instant::now())).await;
        Ok(())
    }
}

/// Serves the connections of a listener until it is told to close, and then waits for their ends.
async fn serve(mut listener: TcpListener, router: Router, limits: Limits, closing: CancellationToken) {
    let mut connections = Connections::new(&limits, router, overload_router());
    loop {
        tokio::select! {
            () = closing.cancelled() => break,
            // Also waits where the process has no more files to give: an accept that fails does not spin.
            (stream, _) = Listener::accept(&mut listener) => connections.serve(stream),
            () = connections.next_closed() => {}
        }
    }
    drop(listener);
    connections.drain(Duration::MAX, std::future::ready(())).await;
}

/// Returns the router for connections over the limit.
fn overload_router() -> Router {
    Router::new().fallback(async || {
        Rejection::new(StatusCode::SERVICE_UNAVAILABLE, "too many connections")
            .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
            .into_response()
    })
}
