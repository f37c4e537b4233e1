//! The HTTP transport: the endpoint as a router, and a server for it with graceful shutdown.

mod body;
mod challenge;
mod endpoint;
mod headers;
mod media;
mod policy;
mod rejection;
mod sessions;
mod shared_sessions;
mod shutdown;
mod stream;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::routing::any;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tool_serve::{Acceptor, Connections, Limits};

pub(crate) use policy::Policy;

use crate::clock::after;
use crate::error::ServeError;
use crate::handlers::Handler;
use crate::http::endpoint::Endpoint;
use crate::http::policy::HeaderRules;
use crate::http::rejection::Rejection;
use crate::http::shutdown::{Shutdown, SignalTask};
use crate::resource_metadata;

/// How long connections have to close after the last response.
const CLOSING: Duration = Duration::from_secs(1);

/// Returns the endpoint as a router that shuts down once a future completes.
pub(crate) fn router_until(
    handler: Arc<Handler>,
    policy: &Policy,
    deadline: Duration,
    signal: impl Future<Output = ()> + Send + 'static,
) -> Router {
    let shutdown = Shutdown::new(handler, deadline);
    let endpoint = Endpoint::new(&shutdown, policy);
    let signal_task = SignalTask::new(async move {
        signal.await;
        shutdown.run().await;
    });
    router(endpoint, Some(signal_task))
}

/// Returns a router without layers, which would be cloned for every request.
fn router(endpoint: Endpoint, signal_task: Option<SignalTask>) -> Router {
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

/// Returns the metadata of the authenticator, which pages of other origins may read.
fn metadata(handler: &Handler, policy: &Policy) -> Router {
    let Some(authenticator) = &policy.authenticator else { return Router::new() };
    let rules = Arc::new(HeaderRules::new(policy));
    let router = resource_metadata::router(handler.views.provider.clone(), Arc::clone(authenticator));
    router.layer(from_fn(move |request: Request, next: Next| {
        let rules = Arc::clone(&rules);
        async move {
            let (head, body) = request.into_parts();
            match rules.check_host(&head) {
                Ok(()) => next.run(Request::from_parts(head, body)).await,
                Err(rejection) => rejection.into_response(),
            }
        }
    }))
}

/// A server that listens, and serves once it runs.
///
/// ```
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).serve_http("127.0.0.1:0").await.unwrap();
/// eprintln!("listening on http://{}", server.local_addr());
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// # stop.send(()).unwrap();
/// server.run_until(async { stopped.await.unwrap_or_default() }).await.unwrap();
/// # });
/// ```
#[must_use = "a server does nothing until `run`"]
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
        handler: Arc<Handler>,
        policy: &Policy,
        limits: Limits,
        deadline: Duration,
    ) -> Self {
        let metadata = metadata(&handler, policy);
        let shutdown = Shutdown::new(handler, deadline);
        // Unlike `nest`, this answers at `/mcp/` as well.
        let router = router(Endpoint::new(&shutdown, policy), None);
        let router = Router::new().nest_service("/mcp", router).merge(metadata);
        HttpServer { listener, local_addr, router, shutdown, limits }
    }

    /// Returns the address that the server listens on, with its actual port.
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
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

    /// Serves until a future completes, and then shuts down: it accepts no new connections, answers the running requests,
    /// ends sessions and streams, and lets modifying calls run to their end, all within the deadline.
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
        self.shutdown.handler.drain(deadline.saturating_duration_since(Instant::now())).await;
        Ok(())
    }
}

/// Serves the connections of a listener until `closing` is canceled, and then waits for them to close.
async fn serve(listener: TcpListener, router: Router, limits: Limits, closing: CancellationToken) {
    let mut connections = Connections::new(&limits, router, overload_router());
    let mut acceptor = Acceptor::new(listener);
    loop {
        tokio::select! {
            () = closing.cancelled() => break,
            stream = acceptor.accept() => connections.serve(stream),
            () = connections.next_closed() => {}
        }
    }
    drop(acceptor);
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
