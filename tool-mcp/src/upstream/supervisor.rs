//! The task that maintains the connection to one server: connects, lists tools, follows changes and reconnects.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock;
use crate::upstream::build_listing::build_listing;
use crate::upstream::connection::{ConnectionState, Phase, UpstreamConnection};
use crate::upstream::listing::Listing;
use crate::upstream::session::{ClientSession, ListError};
use crate::upstream::tool::MAX_TIMEOUTS;

/// A server that was up for this long is retried after the shortest pause.
const STABLE_UPTIME: Duration = Duration::from_secs(30);

/// Listings wait for a lost server if it is retried within this time.
const MAX_AWAITED_PAUSE: Duration = Duration::from_secs(1);

/// Changes within this time cause one refresh.
const MIN_DEBOUNCE: Duration = Duration::from_millis(50);

/// The longest such time, for servers whose lists take long to read.
const MAX_DEBOUNCE: Duration = Duration::from_secs(10);

/// Starts the supervisor of a connection, unless it is running or was shut down.
pub(super) fn start(connection: &Arc<UpstreamConnection>) {
    if connection.shutdown.is_cancelled() || connection.started.swap(true, Ordering::AcqRel) {
        return;
    }
    connection.update(|state| {
        state.phase = Phase::Starting;
        state.wait_until = Some(clock::after(connection.policy.patience));
    });
    let supervisor = Supervisor { connection: Arc::clone(connection) };
    tokio::spawn(async move { supervisor.run().await });
}

/// The supervisor of a connection. Its task may be dropped with its runtime; the connection can then be started again.
struct Supervisor {
    connection: Arc<UpstreamConnection>,
}

/// The end of an attempt to connect, or of a connection.
struct Disconnect {
    reason: String,
    uptime: Duration,
    session: Option<Arc<ClientSession>>,
}

impl Supervisor {
    async fn run(&self) {
        let connection = &self.connection;
        let mut attempts = 0;
        while let Some(disconnect) = self.connect_and_follow().await {
            attempts = if disconnect.uptime >= STABLE_UPTIME { 1 } else { attempts + 1 };
            let pause = connection.policy.backoff.pause(attempts);
            // A reason is a warning once, and not for every attempt.
            if connection.is_down_for(&disconnect.reason) {
                tracing::debug!(
                    server = connection.name(),
                    reason = disconnect.reason,
                    attempts,
                    "upstream server is still down"
                );
            } else {
                tracing::warn!(
                    server = connection.name(),
                    reason = disconnect.reason,
                    "upstream server is down"
                );
            }
            connection.update(|state| {
                state.phase = Phase::Down { reason: disconnect.reason.clone(), attempts };
                let is_awaited = disconnect.session.is_some() && pause <= MAX_AWAITED_PAUSE;
                state.wait_until = is_awaited.then(|| clock::after(connection.policy.patience));
                state.refresh_error = None;
            });
            if let Some(session) = &disconnect.session {
                connection.notify_changes();
                session.close().await;
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = connection.shutdown.cancelled() => break,
            }
        }
        // Drops the listing, whose tools refer to this connection.
        connection.update(|state| *state = ConnectionState { phase: Phase::Ended, ..Default::default() });
    }

    /// Connects once and follows the connection to its end. Returns `None` on shutdown.
    async fn connect_and_follow(&self) -> Option<Disconnect> {
        let connection = &self.connection;
        let limit = connection.upstream.start_timeout;
        let connected = tokio::select! {
            connected = tokio::time::timeout(limit, self.connect()) => connected,
            () = connection.shutdown.cancelled() => return None,
        };
        let elapsed = |_| Err(format!("it did not start within {limit:?}"));
        let (session, listing) = match connected.unwrap_or_else(elapsed) {
            Ok(connected) => connected,
            Err(reason) => return Some(Disconnect { reason, uptime: Duration::ZERO, session: None }),
        };
        let since = Instant::now();
        tracing::info!(
            server = connection.name(),
            tools = listing.toolset.registry().tools().count(),
            "upstream server is up"
        );
        connection.update(|state| {
            state.phase = Phase::Up(Arc::clone(&session));
            state.listing = Some(listing);
            state.wait_until = None;
            state.refresh_error = None;
        });
        connection.notify_changes();
        let reason = tokio::select! {
            reason = self.follow(&session) => reason,
            () = connection.shutdown.cancelled() => {
                session.close().await;
                return None;
            }
        };
        Some(Disconnect { reason, uptime: since.elapsed(), session: Some(session) })
    }

    async fn connect(&self) -> Result<(Arc<ClientSession>, Arc<Listing>), String> {
        let session = ClientSession::connect(&self.connection.upstream).await?;
        let tools = session.list_tools().await.map_err(|error| error.message)?;
        let previous = self.connection.listing();
        Ok((Arc::new(session), build_listing(tools, previous, &self.connection).await))
    }

    /// Keeps the listing up to date until the session ends, and returns the reason for the end.
    async fn follow(&self, session: &Arc<ClientSession>) -> String {
        let inbox = &session.inbox;
        let mut subscription = std::pin::pin!(self.stay_subscribed(session));
        let mut debounce = MIN_DEBOUNCE;
        loop {
            tokio::select! {
                () = inbox.closed.cancelled() => return inbox.close_reason().to_owned(),
                () = &mut subscription => {}
                () = inbox.list_changed.notified() => {}
                () = self.connection.refresh_requested.notified() => {}
            }
            let refresh = async {
                tokio::time::sleep(debounce).await;
                let started = Instant::now();
                self.refresh(session).await.map(|()| started.elapsed())
            };
            let duration = tokio::select! {
                () = inbox.closed.cancelled() => return inbox.close_reason().to_owned(),
                refreshed = refresh => match refreshed {
                    Ok(duration) => duration,
                    Err(reason) => return reason,
                },
            };
            // A list that changes all the time is read at most half of the time.
            debounce = duration.clamp(MIN_DEBOUNCE, MAX_DEBOUNCE);
        }
    }

    /// Reads the list again. An error ends the session.
    async fn refresh(&self, session: &Arc<ClientSession>) -> Result<(), String> {
        let connection = &self.connection;
        let limit = connection.upstream.timeout;
        let error = match tokio::time::timeout(limit, session.list_tools()).await {
            Ok(Ok(tools)) => {
                let previous = connection.listing();
                let listing = build_listing(tools, previous.clone(), connection).await;
                let is_same = previous.is_some_and(|previous| previous.has_same_tools(&listing));
                connection.update(|state| {
                    state.listing = Some(listing);
                    state.refresh_error = None;
                });
                if !is_same {
                    connection.notify_changes();
                }
                return Ok(());
            }
            Ok(Err(ListError { message, connected: false })) => return Err(message),
            Ok(Err(error)) => error.message,
            // A server that handles one request at a time may be busy with a call, but no call lasts this long.
            Err(_) if session.is_busy() => {
                let longest = limit.saturating_mul(MAX_TIMEOUTS);
                if session.inbox.since_last_message() >= longest {
                    return Err(format!("it sent no message for {longest:?}"));
                }
                format!("`tools/list` was not answered within {limit:?}")
            }
            Err(_) => return Err(format!("it did not answer `tools/list` within {limit:?}")),
        };
        tracing::warn!(
            server = connection.name(),
            reason = error,
            "cannot refresh the tools of an upstream server; serving its last list"
        );
        connection.update(|state| state.refresh_error = Some(format!("serving the last list: {error}")));
        Ok(())
    }

    /// Stays subscribed to changes of the list. Requests a refresh after each interruption, which may have hidden a
    /// change.
    async fn stay_subscribed(&self, session: &ClientSession) {
        let mut failed = 0;
        loop {
            let started = Instant::now();
            match session.subscribe().await {
                None if !session.needs_subscription => std::future::pending().await,
                None => {}
                Some(mut subscription) => {
                    session.inbox.list_changed.notify_one();
                    // `InterceptedTransport` has taken the notifications out of the stream.
                    while let Ok(Some(_)) = subscription.next().await {}
                    self.connection.request_refresh();
                }
            }
            failed = if started.elapsed() >= STABLE_UPTIME { 1 } else { failed + 1 };
            tokio::time::sleep(self.connection.policy.backoff.pause(failed)).await;
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.connection.update(|state| {
            if !matches!(state.phase, Phase::Ended) {
                *state = ConnectionState::default();
            }
        });
        self.connection.started.store(false, Ordering::Release);
    }
}
