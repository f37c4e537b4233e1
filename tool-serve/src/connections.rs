//! The connections of a server: their limits, and their shutdown.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};
use tokio_io_timeout::TimeoutStream;

use crate::limits::Limits;
use crate::socket::{self, Socket};
use crate::tracked_body::{TrackedBody, respond_while_connected};

/// The maximum number of connections over the limit that get a response. The next one replaces the oldest, so that idle
/// connections cannot block it or a health check.
const MAX_OVERLOAD_CONNECTIONS: usize = 64;

/// The connections of one server.
pub struct Connections<S> {
    open: JoinSet<()>,
    graceful: GracefulShutdown,
    http: http1::Builder,
    service: S,
    /// For connections over the limit, which get one response.
    overload_http: http1::Builder,
    overload_service: S,
    write_timeout: Duration,
    permits: Arc<Semaphore>,
    overload_connections: VecDeque<AbortHandle>,
}

impl<S> Connections<S> {
    /// Creates the connections of a server. The second service responds to the first request of connections over the limit.
    pub fn new(limits: &Limits, service: S, overload_service: S) -> Self {
        let http = limits.http();
        let mut overload_http = http.clone();
        overload_http.keep_alive(false);
        Connections {
            open: JoinSet::new(),
            graceful: GracefulShutdown::new(),
            http,
            service,
            overload_http,
            overload_service,
            write_timeout: limits.write_timeout(),
            permits: Arc::new(Semaphore::new(limits.max_connections.min(Semaphore::MAX_PERMITS))),
            overload_connections: VecDeque::new(),
        }
    }

    /// Serves a connection, or responds with the other service if there are too many. A request is canceled when its client
    /// disconnects.
    pub fn serve<B>(&mut self, stream: TcpStream)
    where
        TowerToHyperService<S>: Service<Request<TrackedBody>, Response = Response<B>, Error = Infallible>,
        <TowerToHyperService<S> as Service<Request<TrackedBody>>>::Future: Send,
        S: Clone + Send + 'static,
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
    {
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok();
        let is_over_limit = permit.is_none();
        let (http, service) = match is_over_limit {
            false => (&self.http, &self.service),
            true => (&self.overload_http, &self.overload_service),
        };
        if let Err(error) = socket::configure(&stream, self.write_timeout) {
            tracing::debug!(%error, "cannot set the options of a socket");
        }
        let (socket, peer) = Socket::new(stream);
        let mut stream = TimeoutStream::new(socket);
        // Reads have their own limits, for the head, the body and the request.
        stream.set_write_timeout(Some(self.write_timeout));
        let service = TowerToHyperService::new(service.clone());
        let service = service_fn(move |request| {
            let (request, read) = TrackedBody::request(request);
            respond_while_connected(service.call(request), read, peer.clone())
        });
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = self.graceful.watch(connection);
        let handle = self.open.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection failed");
            }
            drop(permit);
        });
        if is_over_limit {
            self.limit_overload(handle);
        }
    }

    /// Adds a connection over the limit, and closes the oldest if there are too many.
    fn limit_overload(&mut self, handle: AbortHandle) {
        self.overload_connections.push_back(handle);
        if self.overload_connections.len() > MAX_OVERLOAD_CONNECTIONS
            && let Some(oldest) = self.overload_connections.pop_front()
        {
            oldest.abort();
        }
    }

    /// Waits until a connection is closed; forever if none is open.
    pub async fn next_closed(&mut self) {
        if self.open.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Closes idle connections, waits for the others and then for `idle`, up to a deadline. Returns the number of connections
    /// that are still open.
    pub async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        let Connections { graceful, open, .. } = self;
        let drained = tokio::time::timeout(deadline, async {
            graceful.shutdown().await;
            idle.await;
        });
        // A call may still run without a connection.
        if drained.await.is_err() { open.len().max(1) } else { 0 }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
