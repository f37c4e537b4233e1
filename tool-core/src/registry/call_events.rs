//! Progress and log messages of a call, for an adapter that sends them while the call runs.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::sync::Notify;

use crate::call::options::CallOptions;
use crate::context::logging::{LogLevel, LogMessage, LogSink};
use crate::context::progress::{Progress, ProgressSink};

/// The most progress reports that wait for a slow client; older ones are dropped.
const MOST_REPORTS: usize = 16;

/// The most log messages that wait for a slow client; older ones are dropped.
const MOST_MESSAGES: usize = 256;

/// The progress and the log messages of one call that are not sent yet, for an adapter that sends them while the call runs.
///
/// The queue is bounded: a client that reads slowly misses the oldest reports and messages, and never delays the tool. Progress only
/// increases. When this is dropped, a function that outlives its call reports to nobody.
///
/// ```
/// use tool_core::adapter::{CallEvent, CallEvents};
/// use tool_core::{CallOptions, Context, Registry, tool, tools};
///
/// /// Counts sheep.
/// #[tool(operation = Read)]
/// fn count_sheep(#[inject] context: Context) -> u64 {
///     context.progress(1, 2, "the first");
///     2
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().tools(tools![count_sheep]).build().unwrap();
/// let events = CallEvents::new(true, None);
/// registry.call_with("count_sheep", b"{}", &events.observe(CallOptions::new())).await;
/// events.close();
/// assert!(matches!(events.next().await, Some(CallEvent::Progress { done: 1, total: Some(2), .. })));
/// assert!(events.next().await.is_none());
/// # });
/// ```
pub struct CallEvents {
    queue: Arc<EventQueue>,
    has_progress: bool,
}

/// Something that happened in a call.
///
/// ```
/// use tool_core::adapter::CallEvent;
///
/// let event = CallEvent::Progress { done: 1, total: Some(2), message: "copied".to_owned() };
/// assert_ne!(event, CallEvent::Progress { done: 2, total: Some(2), message: "copied".to_owned() });
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallEvent {
    /// A report of [`Context::progress`](crate::Context::progress).
    Progress {
        /// The work done so far.
        done: u64,
        /// The total work, if known.
        total: Option<u64>,
        /// What is being done; may be empty.
        message: String,
    },
    /// A log message for the caller.
    Log {
        /// Its level.
        level: LogLevel,
        /// The tool that logs.
        tool: String,
        /// The message.
        data: Value,
    },
}

struct EventQueue {
    /// The least severe level of log messages that are kept; `None` for none.
    least: Option<LogLevel>,
    state: Mutex<QueueState>,
    /// Notified of a new event, and when the queue closes.
    changed: Notify,
}

#[derive(Default)]
struct QueueState {
    waiting: VecDeque<CallEvent>,
    /// The progress of the last report.
    reached: Option<u64>,
    is_closed: bool,
}

impl CallEvents {
    /// Creates an empty queue: for progress or not, and for log messages from a level on.
    ///
    /// ```
    /// use tool_core::adapter::CallEvents;
    /// use tool_core::logging::LogLevel;
    ///
    /// let events = CallEvents::new(false, Some(LogLevel::Info));
    /// ```
    pub fn new(progress: bool, least: Option<LogLevel>) -> Self {
        let queue = EventQueue { least, state: Mutex::default(), changed: Notify::new() };
        CallEvents { queue: Arc::new(queue), has_progress: progress }
    }

    /// Returns the options of a call whose progress and messages go to this queue.
    ///
    /// ```
    /// # use tool_core::{CallOptions, adapter::CallEvents};
    /// let options = CallEvents::new(true, None).observe(CallOptions::new());
    /// ```
    pub fn observe(&self, mut options: CallOptions) -> CallOptions {
        if self.has_progress {
            options = options.progress(Arc::<EventQueue>::clone(&self.queue));
        }
        if self.queue.least.is_some() {
            options = options.log(Arc::<EventQueue>::clone(&self.queue));
        }
        options
    }

    /// Waits for the next event; `None` once the queue is closed and empty.
    ///
    /// ```
    /// # use tool_core::adapter::CallEvents;
    /// # tool_core::private::block_on(async {
    /// let events = CallEvents::new(true, None);
    /// events.close();
    /// assert!(events.next().await.is_none());
    /// # });
    /// ```
    pub async fn next(&self) -> Option<CallEvent> {
        loop {
            {
                let mut state = self.queue.lock();
                if let Some(event) = state.waiting.pop_front() {
                    return Some(event);
                }
                if state.is_closed {
                    return None;
                }
            }
            self.queue.changed.notified().await;
        }
    }

    /// Accepts no more events, since the call has ended. Those that wait are still returned.
    ///
    /// ```
    /// # use tool_core::adapter::CallEvents;
    /// CallEvents::new(true, None).close();
    /// ```
    pub fn close(&self) {
        self.queue.lock().is_closed = true;
        self.queue.changed.notify_one();
    }
}

impl Drop for CallEvents {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.waiting.clear();
        state.is_closed = true;
    }
}

impl fmt::Debug for CallEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.queue.lock().waiting.len();
        f.debug_struct("CallEvents").field("waiting", &waiting).finish_non_exhaustive()
    }
}

impl EventQueue {
    fn lock(&self) -> std::sync::MutexGuard<'_, QueueState> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// Adds an event, and drops the oldest of its kind if `most` of them wait.
    fn add(&mut self, event: CallEvent, most: usize) {
        let is_report = matches!(event, CallEvent::Progress { .. });
        let alike = |other: &CallEvent| matches!(other, CallEvent::Progress { .. }) == is_report;
        if self.waiting.iter().filter(|other| alike(other)).count() >= most
            && let Some(oldest) = self.waiting.iter().position(alike)
        {
            self.waiting.remove(oldest);
        }
        self.waiting.push_back(event);
    }
}

impl ProgressSink for EventQueue {
    fn report(&self, progress: &Progress<'_>) {
        let &Progress { done, total, message } = progress;
        let event = CallEvent::Progress { done, total, message: message.to_owned() };
        let mut state = self.lock();
        if state.is_closed || state.reached.is_some_and(|reached| done < reached) {
            return;
        }
        if state.reached == Some(done) {
            // The same progress with another message replaces a report that still waits.
            let reports = |event: &&mut CallEvent| matches!(event, CallEvent::Progress { .. });
            if let Some(last) = state.waiting.iter_mut().rev().find(reports) {
                *last = event;
            }
            return;
        }
        state.reached = Some(done);
        state.add(event, MOST_REPORTS);
        drop(state);
        self.changed.notify_one();
    }
}

impl LogSink for EventQueue {
    fn log(&self, message: &LogMessage<'_>) {
        let (level, tool, data) = (message.level, message.tool.to_owned(), message.data.clone());
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        state.add(CallEvent::Log { level, tool, data }, MOST_MESSAGES);
        drop(state);
        self.changed.notify_one();
    }

    fn enabled(&self, level: LogLevel) -> bool {
        self.least.is_some_and(|least| level >= least) && !self.lock().is_closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::block_on;
    use crate::model::call_id::CallId;

    fn report(events: &CallEvents, done: u64, message: &str) {
        events.queue.report(&Progress { done, total: None, message });
    }

    fn drain(events: &CallEvents) -> Vec<(u64, String)> {
        events.close();
        let mut reports = Vec::new();
        while let Some(CallEvent::Progress { done, message, .. }) = block_on(events.next()) {
            reports.push((done, message));
        }
        reports
    }

    #[test]
    fn keeps_the_newest_reports_in_order() {
        let events = CallEvents::new(true, None);
        for done in [1, 2, 1, 2, 3] {
            report(&events, done, &format!("{done}"));
        }
        report(&events, 3, "again");
        let texts = [(1, "1"), (2, "2"), (3, "again")].map(|(done, text)| (done, text.to_owned()));
        assert_eq!(drain(&events), texts);
        report(&events, 4, "late");
        assert!(block_on(events.next()).is_none(), "the queue is closed");

        let events = CallEvents::new(true, None);
        (1..=100).for_each(|done| report(&events, done, ""));
        let reached: Vec<u64> = drain(&events).into_iter().map(|(done, _)| done).collect();
        assert_eq!(reached, (85..=100).collect::<Vec<_>>());
    }

    #[test]
    fn keeps_messages_from_a_level_on() {
        let events = CallEvents::new(false, Some(LogLevel::Warning));
        assert!(events.queue.enabled(LogLevel::Error) && !events.queue.enabled(LogLevel::Info));
        for n in 0..300 {
            events.queue.log(&LogMessage {
                level: LogLevel::Error,
                tool: "count",
                call_id: CallId::new(),
                data: &n.into(),
            });
        }
        events.close();
        assert!(!events.queue.enabled(LogLevel::Error), "nobody gets it any more");
        let first = block_on(events.next());
        let expected = CallEvent::Log { level: LogLevel::Error, tool: "count".to_owned(), data: 44.into() };
        assert_eq!(first, Some(expected));
    }
}
