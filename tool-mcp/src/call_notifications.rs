//! What a call tells its client while it runs: how far it has come, if the client asked to know, and what it has to say.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressNotification, ProgressNotificationParam, ProgressToken, ServerNotification};
use serde_json::Value;
use tokio::sync::Notify;
use tool_core::CallOptions;
use tool_core::logging::{LogLevel, LogMessage, LogSink};
use tool_core::progress::{Progress, ProgressSink};

use crate::logging;
use crate::protocol::RequestContext;

/// So many reports wait for a client that is slower than the tool; of more, the oldest are left out.
const REPORTS: usize = 16;

/// So many messages wait for it; of more, the oldest are left out.
const MESSAGES: usize = 256;

/// Returns what a call comes to, after the client has got its progress and messages.
pub(crate) async fn with_notifications<T>(
    mut options: CallOptions,
    cx: &RequestContext,
    call: impl AsyncFnOnce(&CallOptions) -> T,
) -> T {
    let (token, least) = (cx.progress_token.as_ref(), cx.log_level);
    if token.is_none() && least.is_none() {
        return call(&options).await;
    }
    let notifications =
        Arc::new(CallNotifications { least, state: Mutex::default(), changed: Notify::new() });
    let guard = NotificationGuard { notifications: Arc::clone(&notifications) };
    if token.is_some() {
        options = options.progress(Arc::<CallNotifications>::clone(&notifications));
    }
    if least.is_some() {
        options = options.log(Arc::<CallNotifications>::clone(&notifications));
    }
    let calling = async {
        let value = call(&options).await;
        notifications.close();
        value
    };
    let value = tokio::join!(calling, send_all(&notifications, token, cx)).0;
    drop(guard);
    value
}

/// Ends the notifications of a call when it is dropped: none is sent after the answer.
struct NotificationGuard {
    notifications: Arc<CallNotifications>,
}

impl Drop for NotificationGuard {
    fn drop(&mut self) {
        // Work that outlives its call, or is not dropped with it, goes on reporting.
        self.notifications.abandon();
    }
}

/// Sends one notification after the other: the next when the client's transport has taken the one before.
async fn send_all(notifications: &CallNotifications, token: Option<&ProgressToken>, cx: &RequestContext) {
    while let Some(item) = notifications.next().await {
        let sent = match (item, token) {
            (Item::Report(report), Some(token)) => {
                let mut params = ProgressNotificationParam::new(token.clone(), report.done);
                params.total = report.total;
                params.message = Some(report.message).filter(|message| !message.is_empty());
                let progress = ServerNotification::ProgressNotification(ProgressNotification::new(params));
                cx.outbox.notify(progress).await
            }
            // Nobody reports without a token.
            (Item::Report(_), None) => Ok(()),
            (Item::Message { level, tool, data }, _) => {
                cx.log_outbox().notify(logging::message(level, tool, data)).await
            }
        };
        if let Err(error) = sent {
            tracing::debug!(%error, request = %cx.id, "the client gets no more notifications of the call");
            return notifications.abandon();
        }
    }
}

/// What a call has told and the client was not told yet.
struct CallNotifications {
    /// The least severe messages that the client gets.
    least: Option<LogLevel>,
    state: Mutex<State>,
    /// There is more to tell, or there never will be.
    changed: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Item>,
    /// How far the last report went: the protocol wants each to go further.
    reached: Option<f64>,
    closed: bool,
}

#[derive(Debug, PartialEq)]
enum Item {
    Report(Report),
    Message { level: LogLevel, tool: String, data: Value },
}

#[derive(Debug, PartialEq)]
struct Report {
    done: f64,
    total: Option<f64>,
    message: String,
}

impl State {
    /// Adds an item, and leaves out the oldest of its kind where `most` of them wait.
    fn add(&mut self, item: Item, most: usize) {
        let is_report = matches!(item, Item::Report(_));
        let alike = |other: &Item| matches!(other, Item::Report(_)) == is_report;
        if self.waiting.iter().filter(|other| alike(other)).count() >= most
            && let Some(oldest) = self.waiting.iter().position(alike)
        {
            self.waiting.remove(oldest);
        }
        self.waiting.push_back(item);
    }

    /// The report that was made last, if it waits still.
    fn last_report(&mut self) -> Option<&mut Report> {
        self.waiting.iter_mut().rev().find_map(|item| match item {
            Item::Report(report) => Some(report),
            Item::Message { .. } => None,
        })
    }
}

impl CallNotifications {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item; `None` when all are told and no more are taken.
    async fn next(&self) -> Option<Item> {
        loop {
            {
                let mut state = self.state();
                if let Some(item) = state.waiting.pop_front() {
                    return Some(item);
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

impl ProgressSink for CallNotifications {
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
            if let Some(last) = state.last_report() {
                *last = report;
            }
            return;
        }
        state.reached = Some(report.done);
        state.add(Item::Report(report), REPORTS);
        drop(state);
        self.changed.notify_one();
    }
}

impl LogSink for CallNotifications {
    fn log(&self, message: &LogMessage<'_>) {
        let (tool, data) = (message.tool.to_owned(), message.data.clone());
        let mut state = self.state();
        if state.closed {
            return;
        }
        state.add(Item::Message { level: message.level, tool, data }, MESSAGES);
        drop(state);
        self.changed.notify_one();
    }

    fn enabled(&self, level: LogLevel) -> bool {
        // What is said once the client hears no more is in the log of the program.
        self.least.is_some_and(|least| level >= least) && !self.state().closed
    }
}

/// A number as the protocol writes it.
#[expect(clippy::cast_precision_loss, reason = "beyond 2^53 nobody sees the difference on a bar")]
fn number(n: u64) -> f64 {
    n as f64
}
