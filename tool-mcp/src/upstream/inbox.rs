//! What a server tells besides its answers: how far calls have come, and that its list has changed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::upstream::session::short;

/// So many reports of one call wait to be passed on; of more, the newest are left out.
const WAITING: usize = 64;

/// Filled by the transport in the order in which messages come, so that no report overtakes the answer that it came before.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    calls: Mutex<HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>>,
    /// The list of tools has changed.
    pub(super) changed: Notify,
    /// The connection has ended.
    pub(super) closed: CancellationToken,
    /// Held from before a call is sent until its reports are expected: nothing is written meanwhile.
    pub(super) gate: tokio::sync::Mutex<()>,
    why: OnceLock<String>,
    /// When something was heard.
    heard: Mutex<Option<Instant>>,
}

impl Inbox {
    /// What a call with this token reports. To be asked for while the [gate](Self::gate) is held
    /// that the call was sent behind, so that none is missed.
    pub(super) fn reports(self: &Arc<Self>, token: ProgressToken) -> Reports {
        let (sender, receiver) = mpsc::channel(WAITING);
        self.calls().insert(token.clone(), sender);
        Reports { inbox: Arc::clone(self), token, receiver }
    }

    /// A report came.
    pub(super) fn report(&self, mut report: ProgressNotificationParam) {
        if let Some(call) = self.calls().get(&report.progress_token) {
            report.message = report.message.map(|message| short(&message));
            // One that is not read holds nobody up.
            let _ = call.try_send(report);
        }
    }

    /// Something came, whatever it is.
    pub(super) fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// How long nothing has come.
    pub(super) fn silent_for(&self) -> Duration {
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.map_or(Duration::ZERO, |heard| heard.elapsed())
    }

    /// The connection has ended, for the first reason that is given.
    pub(super) fn close(&self, why: impl Into<String>) {
        let _ = self.why.set(why.into());
        self.closed.cancel();
    }

    /// Why the connection ended.
    pub(super) fn why(&self) -> &str {
        self.why.get().map_or("the connection was closed", String::as_str)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>> {
        // Nothing panics while it is held.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reports of one call, as long as somebody holds them.
#[derive(Debug)]
pub(super) struct Reports {
    inbox: Arc<Inbox>,
    token: ProgressToken,
    pub(super) receiver: mpsc::Receiver<ProgressNotificationParam>,
}

impl Drop for Reports {
    fn drop(&mut self) {
        self.inbox.calls().remove(&self.token);
    }
}
