//! What a session receives besides responses: progress of calls, changes of the list, and the end of the connection.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::upstream::text::truncate;

/// The maximum number of unread progress notifications of a call. Further ones are dropped.
const MAX_UNREAD: usize = 64;

/// The maximum length of a progress message, in characters.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Filled by the transport in the order of the messages, so that the progress of a call precedes its response.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    calls: Mutex<HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>>,
    /// Notified when the list of tools has changed.
    pub(super) list_changed: Notify,
    /// Canceled when the connection has ended.
    pub(super) closed: CancellationToken,
    /// Locked while a call is sent, until its progress is received: the transport writes no call meanwhile.
    pub(super) send_lock: tokio::sync::Mutex<()>,
    close_reason: OnceLock<String>,
    last_message: Mutex<Option<Instant>>,
}

impl Inbox {
    /// Receives the progress of a call. To miss nothing, call this while holding the [lock](Self::send_lock) under
    /// which the call was sent.
    pub(super) fn receive_progress(self: &Arc<Self>, token: ProgressToken) -> ProgressReceiver {
        let (sender, notifications) = mpsc::channel(MAX_UNREAD);
        self.calls().insert(token.clone(), sender);
        ProgressReceiver { inbox: Arc::clone(self), token, notifications }
    }

    /// Forwards a progress notification to the receiver of its call.
    pub(super) fn forward_progress(&self, mut progress: ProgressNotificationParam) {
        if let Some(call) = self.calls().get(&progress.progress_token) {
            progress.message = progress.message.map(|message| truncate(&message, MAX_MESSAGE_CHARS));
            // A full channel must not block other messages.
            let _ = call.try_send(progress);
        }
    }

    /// Records that a message was received.
    pub(super) fn record_message(&self) {
        *self.last_message.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns the time since the last message, or zero before the first.
    pub(super) fn since_last_message(&self) -> Duration {
        let last = *self.last_message.lock().unwrap_or_else(PoisonError::into_inner);
        last.map_or(Duration::ZERO, |last| last.elapsed())
    }

    /// Marks the connection as ended. The first reason is kept.
    pub(super) fn close(&self, reason: impl Into<String>) {
        let _ = self.close_reason.set(reason.into());
        self.closed.cancel();
    }

    /// Returns the reason why the connection ended.
    pub(super) fn close_reason(&self) -> &str {
        self.close_reason.get().map_or("the connection was closed", String::as_str)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>> {
        // No code panics while holding the lock.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiver of the progress of one call. Unregistered on drop.
#[derive(Debug)]
pub(super) struct ProgressReceiver {
    inbox: Arc<Inbox>,
    token: ProgressToken,
    pub(super) notifications: mpsc::Receiver<ProgressNotificationParam>,
}

impl Drop for ProgressReceiver {
    fn drop(&mut self) {
        self.inbox.calls().remove(&self.token);
    }
}
