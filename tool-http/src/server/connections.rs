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
use crate::gate::Gate;
use crate::options::ServeOptions;
use crate::server::face;

/// The head of a request, in bytes and in headers: more is 431. The target alone may have 64 KiB: more is 414.
const HEAD_BYTES: usize = 128 * 1024;
const HEADERS: usize = 100;

/// How many connections beyond the limit are told so at once. The next one takes the place of the oldest, so that
/// connections that say nothing keep nobody from being told, and from asking after the health.
const TURNED_AWAY: usize = 64;

/// The connections of one server.
pub(super) struct Connections {
    open: tool_serve::Connections,
    settings: Settings,
    router: Router,
    /// For one request of a connection beyond the limit.
    brief: Settings,
    refusing: Router,
    places: Arc<Semaphore>,
    turned_away: VecDeque<AbortHandle>,
}

impl Connections {
    pub(super) fn new(api: &Api, gate: Gate, options: &ServeOptions) -> Self {
        let gate = Arc::new(gate);
        let mut settings = Settings { write_timeout: Some(options.write_timeout), ..Settings::default() };
        let http = settings.http.header_read_timeout(options.header_timeout);
        http.max_headers(HEADERS).max_header_size(HEAD_BYTES);
        let mut brief = settings.clone();
        brief.http.keep_alive(false);
        Connections {
            open: tool_serve::Connections::default(),
            settings,
            router: face::serving(api, &gate, options.request_timeout),
            brief,
            refusing: face::refusing(&gate),
            places: Arc::new(Semaphore::new(options.max_connections)),
            turned_away: VecDeque::new(),
        }
    }

    /// Serves a connection, or tells it that there are too many.
    pub(super) fn take(&mut self, stream: TcpStream) {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            self.open.serve(stream, &self.settings, self.router.clone(), place);
            return;
        }
        let handle = self.open.serve(stream, &self.brief, self.refusing.clone(), ());
        self.turned_away.push_back(handle);
        if self.turned_away.len() > TURNED_AWAY
            && let Some(oldest) = self.turned_away.pop_front()
        {
            oldest.abort();
        }
    }

    /// Waits until one has ended.
    pub(super) async fn ended(&mut self) {
        self.open.ended().await;
    }

    /// Ends the connections that are idle and waits for the others and for what outlives them, up to a deadline; how many
    /// connections there are still.
    pub(super) async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        self.open.drain(deadline, idle).await
    }
}
