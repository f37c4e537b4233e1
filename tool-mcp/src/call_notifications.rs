//! Progress and log messages of a call, sent to its client while the call runs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use rmcp::model::ProgressToken;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Notify;
use tool_core::CallOptions;
use tool_core::logging::{LogLevel, LogMessage, LogSink};
use tool_core::progress::{Progress, ProgressSink};

use crate::logging;
use crate::protocol::{Notification, RequestContext};
use crate::sync::lock;

/// The most progress reports that wait for a slow client; older ones are dropped.
const MOST_REPORTS: usize = 16;

/// The most log messages that wait for a slow client; older ones are dropped.
const MOST_MESSAGES: usize = 256;

/// Runs a call, sends its progress and messages to the client, and returns its value.
pub(crate) async fn with_notifications<T>(
    mut options: CallOptions,
    cx: &RequestContext,
    call: impl AsyncFnOnce(&CallOptions) -> T,
) -> T {
    let (token, least) = (cx.progress_token.as_ref(), cx.log_level);
    if token.is_none() && least.is_none() {
        return call(&options).await;
    }
    let queue = Arc::new(NotificationQueue { least, state: Mutex::default(), changed: Notify::new() });
    let guard = QueueGuard(Arc::clone(&queue));
    if token.is_some() {
        options = options.progress(Arc::<NotificationQueue>::clone(&queue));
    }
    if least.is_some() {
        options = options.log(Arc::<NotificationQueue>::clone(&queue));
    }
    let calling = async {
        let value = call(&options).await;
        queue.close();
        value
    };
    let value = tokio::join!(calling, send_all(&queue, token, cx)).0;
    drop(guard);
    value
}

/// Discards the queue when it is dropped: work that outlives its call may go on reporting, but not after the response.
struct QueueGuard(Arc<NotificationQueue>);

impl Drop for QueueGuard {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Sends one notification after the other: the next once the transport has taken the last.
async fn send_all(queue: &NotificationQueue, token: Option<&ProgressToken>, cx: &RequestContext) {
    while let Some(item) = queue.next().await {
        let sent = match (item, token) {
            (Item::Report(Report { done: progress, total, message }), Some(progress_token)) => {
                let params = ProgressParams { progress_token, progress, total, message };
                cx.outbox.send(&Notification::new("notifications/progress", params)).await
            }
            // There are no reports without a token.
            (Item::Report(_), None) => Ok(()),
            (Item::Message { level, tool, data }, _) => {
                cx.log_outbox().send(&logging::message(level, tool, data)).await
            }
        };
        if let Err(error) = sent {
            tracing::debug!(%error, request = %cx.id, "the client gets no more notifications of the call");
            return queue.abandon();
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams<'a> {
    progress_token: &'a ProgressToken,
    progress: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

/// The notifications of a call that are not sent yet.
struct NotificationQueue {
    /// The least severe level that the client gets.
    least: Option<LogLevel>,
    state: Mutex<QueueState>,
    /// Notified of a new item, and when the queue closes.
    changed: Notify,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<Item>,
    /// The progress of the last report: the protocol requires it to increase.
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

impl QueueState {
    /// Adds an item, and drops the oldest of its kind if `most` of them wait.
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

    /// Returns the last report, if it still waits.
    fn last_report(&mut self) -> Option<&mut Report> {
        self.waiting.iter_mut().rev().find_map(|item| match item {
            Item::Report(report) => Some(report),
            Item::Message { .. } => None,
        })
    }
}

impl NotificationQueue {
    /// Waits for the next item; `None` once the queue is empty and closed.
    async fn next(&self) -> Option<Item> {
        loop {
            {
                let mut state = lock(&self.state);
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

    /// Accepts no more items.
    fn close(&self) {
        lock(&self.state).closed = true;
        self.changed.notify_one();
    }

    /// Accepts no more items, and discards those that wait.
    fn abandon(&self) {
        lock(&self.state).waiting.clear();
        self.close();
    }
}

impl ProgressSink for NotificationQueue {
    fn report(&self, progress: &Progress<'_>) {
        let report = Report {
            done: number(progress.done),
            total: progress.total.map(number),
            message: progress.message.to_owned(),
        };
        let mut state = lock(&self.state);
        if state.closed || state.reached.is_some_and(|reached| report.done < reached) {
            return;
        }
        if state.reached == Some(report.done) {
            // The same progress with another message replaces a report that still waits.
            if let Some(last) = state.last_report() {
                *last = report;
            }
            return;
        }
        state.reached = Some(report.done);
        state.add(Item::Report(report), MOST_REPORTS);
        drop(state);
        self.changed.notify_one();
    }
}

impl LogSink for NotificationQueue {
    fn log(&self, message: &LogMessage<'_>) {
        let (tool, data) = (message.tool.to_owned(), message.data.clone());
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        state.add(Item::Message { level: message.level, tool, data }, MOST_MESSAGES);
        drop(state);
        self.changed.notify_one();
    }

    fn enabled(&self, level: LogLevel) -> bool {
        self.least.is_some_and(|least| level >= least) && !lock(&self.state).closed
    }
}

#[expect(clippy::cast_precision_loss, reason = "a progress bar cannot show the difference beyond 2^53")]
fn number(n: u64) -> f64 {
    n as f64
}
