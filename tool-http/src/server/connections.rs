//! The connections of a server: their limits, and their shutdown.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tool_serve::Settings;

use crate::api::Api;
use crate::options::ServeOptions;
use crate::request_filter::RequestFilter;
use crate::server::service;

/// The maximum size of a head in bytes; more is 431. A target over 64 KiB is 414.
const HEAD_BYTES: usize = 128 * 1024;
const HEADERS: usize = 100;

/// The maximum number of connections over the limit that get a response. The next one replaces the oldest, so that idle
/// connections cannot block it or the health check.
const MAX_OVERLOAD_CONNECTIONS: usize = 64;

/// The connections of one server.
pub(super) struct Connections {
    open: tool_serve::Connections,
    settings: Settings,
    router: Router,
    /// For connections over the limit, which get one response.
    overload_settings: Settings,
    overload_router: Router,
    permits: Arc<Semaphore>,
    overload_connections: VecDeque<AbortHandle>,
}

impl Connections {
    pub(super) fn new(api: &Api, request_filter: RequestFilter, options: &ServeOptions) -> Self {
        let request_filter = Arc::new(request_filter);
        let mut settings = Settings { write_timeout: Some(options.write_timeout), ..Settings::default() };
        let http = settings.http.header_read_timeout(options.header_timeout);
        http.max_headers(HEADERS).max_header_size(HEAD_BYTES);
        let mut overload_settings = settings.clone();
        overload_settings.http.keep_alive(false);
        Connections {
            open: tool_serve::Connections::default(),
            settings,
            router: service::service(api, &request_filter, options.request_timeout),
            overload_settings,
            overload_router: service::overload_service(&request_filter),
            permits: Arc::new(Semaphore::new(options.max_connections)),
            overload_connections: VecDeque::new(),
        }
    }

    /// Serves a connection, or responds that there are too many.
    pub(super) fn take(&mut self, stream: TcpStream) {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            self.open.serve(stream, &self.settings, self.router.clone(), permit);
            return;
        }
        let handle = self.open.serve(stream, &self.overload_settings, self.overload_router.clone(), ());
        self.overload_connections.push_back(handle);
        if self.overload_connections.len() > MAX_OVERLOAD_CONNECTIONS
            && let Some(oldest) = self.overload_connections.pop_front()
        {
            oldest.abort();
        }
    }

    /// Waits until a connection has closed.
    pub(super) async fn next_closed(&mut self) {
        self.open.next_closed().await;
    }

    /// Closes idle connections and waits for the others, and then for `idle`, up to a deadline. Returns the number of
    /// connections that are still open.
    pub(super) async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        self.open.drain(deadline, idle).await
    }
}
