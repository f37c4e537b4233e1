//! How far a call has come, told to the client that asked to know.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::sync::Notify;
use tool_core::{Progress, ProgressSink, Registry};

/// So many reports wait for a client that is slower than the tool; of more, the oldest are left out.
const WAITING: usize = 16;

/// What a call comes to, with what it reports told to the client meanwhile, if the client asked for that. All of it is
/// told before the answer, and nothing after it, or once the future is dropped.
pub(crate) async fn told<T>(
    registry: &Registry,
    cx: &RequestContext<RoleServer>,
    call: impl AsyncFnOnce(&Registry) -> T,
) -> T {
    let Some(token) = cx.meta.get_progress_token() else { return call(registry).await };
    let reports = Arc::new(Reports::default());
    // Work that outlives its call, or is not dropped with it, goes on reporting.
    let _over = Over(&reports);
    let sink: Arc<dyn ProgressSink> = Arc::<Reports>::clone(&reports);
    let registry = registry.reporting(sink);
    let calling = async {
        let value = call(&registry).await;
        reports.close();
        value
    };
    let (value, ()) = tokio::join!(calling, tell(&reports, &token, cx));
    value
}

/// Tells one report after the other: the next when the client's transport has taken the one before.
async fn tell(reports: &Reports, token: &ProgressToken, cx: &RequestContext<RoleServer>) {
    while let Some(report) = reports.next().await {
        if cx.ct.is_cancelled() {
            return reports.abandon();
        }
        let mut params = ProgressNotificationParam::new(token.clone(), report.done);
        params.total = report.total;
        params.message = Some(report.message).filter(|message| !message.is_empty());
        if let Err(error) = cx.peer.notify_progress(params).await {
            tracing::debug!(%error, request = %cx.id, "the client hears no more of how far the call has come");
            return reports.abandon();
        }
    }
}

/// What a call has reported and the client was not told yet.
#[derive(Default)]
struct Reports {
    state: Mutex<State>,
    /// There is more to tell, or there never will be.
    changed: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Report>,
    /// How far the last report went: the protocol wants each to go further.
    reached: Option<f64>,
    closed: bool,
}

#[derive(Debug, PartialEq)]
struct Report {
    done: f64,
    total: Option<f64>,
    message: String,
}

impl Reports {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next report; `None` when all are told and no more are taken.
    async fn next(&self) -> Option<Report> {
        loop {
            {
                let mut state = self.state();
                if let Some(report) = state.waiting.pop_front() {
                    return Some(report);
                }
                if state.closed {
                    return None;
                }
            }
            self.changed.notified().await;
        }
    }

    /// Takes no more.
    fn close(&self) {
        self.state().closed = true;
        self.changed.notify_one();
    }

    /// Takes no more, and forgets what waits.
    fn abandon(&self) {
        self.state().waiting.clear();
        self.close();
    }
}

impl ProgressSink for Reports {
    fn report(&self, progress: &Progress<'_>) {
        let report = Report {
            done: number(progress.done),
            total: progress.total.map(number),
            message: progress.message.to_owned(),
        };
        let mut state = self.state();
        if state.closed || state.reached.is_some_and(|reached| report.done < reached) {
            return;
        }
        if state.reached == Some(report.done) {
            // No further, but in other words: they are told where the ones before are not told yet.
            if let Some(last) = state.waiting.back_mut() {
                *last = report;
            }
            return;
        }
        if state.waiting.len() == WAITING {
            state.waiting.pop_front();
        }
        state.reached = Some(report.done);
        state.waiting.push_back(report);
        drop(state);
        self.changed.notify_one();
    }
}

/// Ends the telling with the future that does it.
struct Over<'r>(&'r Reports);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// A number as the protocol writes it.
#[expect(clippy::cast_precision_loss, reason = "beyond 2^53 nobody sees the difference on a bar")]
fn number(n: u64) -> f64 {
    n as f64
}
