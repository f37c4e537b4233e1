//! What a call tells its client while it runs: how far it has come, if the client asked to know, and what it has to say.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::sync::Notify;
use tool_core::CallOptions;
use tool_core::logging::{LogLevel, LogMessage, LogSink};
use tool_core::progress::{Progress, ProgressSink};

use crate::logging;

/// So many reports wait for a client that is slower than the tool; of more, the oldest are left out.
const REPORTS: usize = 16;

/// So many messages wait for it; of more, the oldest are left out.
const MESSAGES: usize = 256;

/// What a call comes to, with its news told to the client meanwhile.
pub(crate) async fn told<T>(
    mut options: CallOptions,
    cx: &RequestContext<RoleServer>,
    call: impl AsyncFnOnce(&CallOptions) -> T,
) -> T {
    let telling = Telling::new(cx.meta.get_progress_token(), logging::hears(cx));
    if let Some(telling) = &telling {
        options = telling.through(options);
    }
    let call = pin!(call(&options));
    match telling {
        None => call.await,
        Some(telling) => telling.during(call, cx).await,
    }
}

/// The telling of a call's news: its progress, if the client asked for that, and what it has to say, as far as the client
/// wants to hear it. All of it is told before the answer, and nothing after it, or once this is dropped.
pub(crate) struct Telling {
    news: Arc<News>,
    token: Option<ProgressToken>,
}

impl Telling {
    /// Of a call whose progress is reported under this token, to a client that hears this much; `None` where there is nothing
    /// to tell.
    pub(crate) fn new(token: Option<ProgressToken>, hears: Option<LogLevel>) -> Option<Self> {
        if token.is_none() && hears.is_none() {
            return None;
        }
        let news = Arc::new(News { hears, state: Mutex::default(), changed: Notify::new() });
        Some(Telling { news, token })
    }

    /// The options of a call whose news are told.
    pub(crate) fn through(&self, mut options: CallOptions) -> CallOptions {
        if self.token.is_some() {
            options = options.progress(Arc::<News>::clone(&self.news));
        }
        if self.news.hears.is_some() {
            options = options.log(Arc::<News>::clone(&self.news));
        }
        options
    }

    /// Whether the call has told nothing that the client has not heard.
    pub(crate) fn is_done(&self) -> bool {
        self.news.state().waiting.is_empty()
    }

    /// What the call comes to, once all is told.
    pub(crate) async fn during<T>(
        &self,
        call: impl Future<Output = T>,
        cx: &RequestContext<RoleServer>,
    ) -> T {
        let calling = async {
            let value = call.await;
            self.news.close();
            value
        };
        let (value, ()) = tokio::join!(calling, tell(&self.news, self.token.as_ref(), cx));
        value
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        // Work that outlives its call, or is not dropped with it, goes on reporting.
        self.news.abandon();
    }
}

/// Tells one thing after the other: the next when the client's transport has taken the one before.
async fn tell(news: &News, token: Option<&ProgressToken>, cx: &RequestContext<RoleServer>) {
    while let Some(item) = news.next().await {
        if cx.ct.is_cancelled() {
            return news.abandon();
        }
        let told = match (item, token) {
            (Item::Report(report), Some(token)) => {
                let mut params = ProgressNotificationParam::new(token.clone(), report.done);
                params.total = report.total;
                params.message = Some(report.message).filter(|message| !message.is_empty());
                cx.peer.notify_progress(params).await
            }
            // Nobody reports where there is no token.
            (Item::Report(_), None) => Ok(()),
            (Item::Message { level, tool, data }, _) => logging::tell(&cx.peer, level, tool, data).await,
        };
        if let Err(error) = told {
            tracing::debug!(%error, request = %cx.id, "the client hears no more news of the call");
            return news.abandon();
        }
    }
}

/// What a call has told and the client was not told yet.
struct News {
    /// The least that the client wants to hear of what the call has to say.
    hears: Option<LogLevel>,
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

impl News {
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

impl ProgressSink for News {
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

impl LogSink for News {
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
        self.hears.is_some_and(|least| level >= least) && !self.state().closed
    }
}

/// A number as the protocol writes it.
#[expect(clippy::cast_precision_loss, reason = "beyond 2^53 nobody sees the difference on a bar")]
fn number(n: u64) -> f64 {
    n as f64
}
