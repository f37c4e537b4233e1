//! The connections of a server: how many there are, what each may do, and how they end.

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

/// The head of a request, in bytes and in headers: more is 431. The target alone may have 64 KiB: more is 414.
const HEAD_BYTES: usize = 128 * 1024;
const HEADERS: usize = 100;

/// How many connections beyond the limit are told so at once. The next one takes the place of the oldest, so that
/// connections that say nothing keep nobody from being told, and from asking after the health.
const MAX_OVERLOAD_CONNECTIONS: usize = 64;

/// The connections of one server.
pub(super) struct Connections {
    open: tool_serve::Connections,
    settings: Settings,
    router: Router,
    /// For one request of a connection beyond the limit.
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

    /// Serves a connection, or tells it that there are too many.
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

    /// Waits until one has ended.
    pub(super) async fn next_closed(&mut self) {
        self.open.next_closed().await;
    }

    /// Ends the connections that are idle and waits for the others and for what outlives them, up to a deadline; how many
    /// connections there are still.
    pub(super) async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        self.open.drain(deadline, idle).await
    }
}
