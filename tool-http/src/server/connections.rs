//! The connections of a server: how many there are, what each may do, and how they end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};
use tokio_io_timeout::TimeoutStream;

use crate::gate::Gate;
use crate::options::ServeOptions;
use crate::router::Api;
use crate::server::face;
use crate::server::socket::Socket;
use crate::server::waiting::{self, Tracked};

/// The head of a request, in bytes and in headers: more is 431. The target alone may have 64 KiB: more is 414.
const HEAD_BYTES: usize = 128 * 1024;
const HEADERS: usize = 100;

/// How many connections beyond the limit are told so at once. The next one takes the place of the oldest, so that
/// connections that say nothing keep nobody from being told, and from asking after the health.
const TURNED_AWAY: usize = 64;

/// The connections of one server.
pub(super) struct Connections {
    http: http1::Builder,
    router: Router,
    /// For one request of a connection beyond the limit.
    brief: http1::Builder,
    refusing: Router,
    write_timeout: Duration,
    places: Arc<Semaphore>,
    open: JoinSet<()>,
    turned_away: VecDeque<AbortHandle>,
    graceful: GracefulShutdown,
}

impl Connections {
    pub(super) fn new(api: &Api, gate: Gate, options: &ServeOptions) -> Self {
        let gate = Arc::new(gate);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(options.header_timeout)
            // Whether a client that sends no more has left is for `Peer` to find out.
            .half_close(true)
            .max_headers(HEADERS)
            .max_header_size(HEAD_BYTES);
        let mut brief = http.clone();
        brief.keep_alive(false);
        Connections {
            http,
            router: face::serving(api, &gate, options.request_timeout),
            brief,
            refusing: face::refusing(&gate),
            write_timeout: options.write_timeout,
            places: Arc::new(Semaphore::new(options.max_connections)),
            open: JoinSet::new(),
            turned_away: VecDeque::new(),
            graceful: GracefulShutdown::new(),
        }
    }

    /// Serves a connection, or tells it that there are too many.
    pub(super) fn take(&mut self, stream: TcpStream) {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            let connection = self.connection(stream, &self.http, &self.router);
            self.open.spawn(async move {
                connection.await;
                drop(place);
            });
            return;
        }
        let connection = self.connection(stream, &self.brief, &self.refusing);
        let handle = self.open.spawn(connection);
        self.turned_away.push_back(handle);
        if self.turned_away.len() > TURNED_AWAY
            && let Some(oldest) = self.turned_away.pop_front()
        {
            oldest.abort();
        }
    }

    fn connection(
        &self,
        stream: TcpStream,
        http: &http1::Builder,
        router: &Router,
    ) -> impl Future<Output = ()> + Send + use<> {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        let (socket, peer) = Socket::new(stream);
        let mut stream = TimeoutStream::new(socket);
        // Reading has limits of its own: for the head, the body, and all of a request.
        stream.set_write_timeout(Some(self.write_timeout));
        let router = TowerToHyperService::new(router.clone());
        let service = service_fn(move |request| {
            let (request, read) = Tracked::request(request);
            waiting::answer(router.call(request), read, Arc::clone(&peer))
        });
        let connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = self.graceful.watch(connection);
        async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke");
            }
        }
    }

    /// Waits until one has ended.
    pub(super) async fn ended(&mut self) {
        if self.open.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Ends the connections that are idle and waits for the others and for what outlives them, up to a deadline; how many
    /// connections there are still.
    pub(super) async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        let Connections { graceful, open, .. } = self;
        let drained = tokio::time::timeout(deadline, async {
            graceful.shutdown().await;
            idle.await;
        });
        // A call may be on its way without any connection.
        if drained.await.is_err() { open.len().max(1) } else { 0 }
    }
}
