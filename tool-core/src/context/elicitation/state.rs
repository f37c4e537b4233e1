//! The state of the questions of one call, shared by its context and the pipeline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Waker};

use crate::context::elicitation::question::{Ask, AskKind, Question};
use crate::context::elicitation::{ClientRequests, ElicitationClient};
use crate::model::failure::{Failure, FailureKind};
use crate::model::lock::lock;

/// The questions of one call.
#[derive(Debug, Default)]
pub(crate) struct ElicitationState {
    /// Whether the call used a `Writer` or called a tool that modifies.
    modified: AtomicBool,
    state: Mutex<QuestionState>,
}

#[derive(Debug, Default)]
struct QuestionState {
    phase: Phase,
    /// The keys in use.
    keys: Vec<String>,
    /// Questions that are answered by a later call, and that the function waits for.
    deferred: Vec<Question>,
    /// Wakes the pipeline when a question is deferred.
    pipeline: Option<Waker>,
    /// Wakes deferred questions when the call ends.
    waiting: Vec<Waker>,
    /// Why a question was not answered: the caller does not support it, or disconnected.
    rejection: Option<Failure>,
    /// A fault of the tool.
    fault: Option<Failure>,
    #[cfg(feature = "tokio")]
    clock: Clock,
}

/// The phases of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The call has not started, or cannot wait.
    #[default]
    Closed,
    /// Parameters are awaited or the function runs: the call may ask.
    Open,
    /// The call waits for answers that arrive with a new call.
    Suspended,
    /// The call has ended.
    Ended,
}

/// Measures how long the call waited for its caller.
#[cfg(feature = "tokio")]
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    open_questions: usize,
    since: Option<tokio::time::Instant>,
    waited: std::time::Duration,
}

impl ElicitationState {
    /// Allows the call to ask from now on.
    pub(crate) fn open(&self) {
        lock(&self.state).phase = Phase::Open;
    }

    /// Forbids the call to ask until it is opened again.
    pub(crate) fn close(&self) {
        lock(&self.state).phase = Phase::Closed;
    }

    /// Records that the call may have changed something.
    pub(crate) fn mark_modified(&self) {
        self.modified.store(true, Ordering::Relaxed);
    }

    /// Creates a question if the call may ask now, and returns it with the client.
    pub(super) fn begin(
        &self,
        tool: &str,
        client: Option<&ElicitationClient>,
        key: Option<String>,
        ask: Ask,
    ) -> Result<(Question, Arc<dyn ClientRequests>), Failure> {
        let mut state = lock(&self.state);
        if self.modified.load(Ordering::Relaxed) {
            let message = format!(
                "`{tool}` asks after using its `Writer`: the call starts again with the answer, and would write \
                 twice; ask first"
            );
            return Err(state.fault.insert(fault(message)).clone());
        }
        let client = match client {
            Some(ElicitationClient::Direct(client)) => Arc::clone(&client.0),
            other => return Err(state.rejection.insert(unsupported(tool, other)).clone()),
        };
        match state.phase {
            Phase::Open => {}
            Phase::Suspended => return Err(Failure::suspended()),
            Phase::Closed => {
                let message = format!(
                    "`{tool}` asks where it cannot wait for an answer: ask in an `async` or `blocking` tool function, or \
                     in an `InjectAsync`, but not in an access function"
                );
                return Err(state.fault.insert(fault(message)).clone());
            }
            Phase::Ended => {
                return Err(Failure::new(
                    FailureKind::Unsupported,
                    "the call has ended; its caller cannot be asked any more",
                ));
            }
        }
        let key = state.key(key, &ask);
        Ok((Question::new(key, ask), client))
    }

    /// Records that the question cannot be answered.
    pub(super) fn reject(&self, failure: Failure) -> Failure {
        lock(&self.state).rejection.insert(failure).clone()
    }

    /// Records a fault of the tool.
    pub(super) fn report_misuse(&self, message: String) -> Failure {
        lock(&self.state).fault.insert(fault(message)).clone()
    }

    /// Defers the question, and waits for the end of this call.
    pub(super) async fn suspend(&self, question: Question) -> Failure {
        // Removes the question if the function stops waiting for it.
        let _later = DeferredQuestion { elicitation: self, key: question.key.clone() };
        let pipeline = {
            let mut state = lock(&self.state);
            state.deferred.push(question);
            state.pipeline.take()
        };
        if let Some(pipeline) = pipeline {
            pipeline.wake();
        }
        std::future::poll_fn(|cx| {
            let mut state = lock(&self.state);
            if state.phase == Phase::Open {
                if !state.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                    state.waiting.push(cx.waker().clone());
                }
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
        Failure::suspended()
    }

    /// Suspends the call if it waits for deferred questions, and returns them.
    pub(crate) fn poll_suspended(&self, cx: &mut TaskContext<'_>) -> Option<Vec<Question>> {
        let mut state = lock(&self.state);
        if state.deferred.is_empty() {
            state.pipeline = Some(cx.waker().clone());
            return None;
        }
        let questions = std::mem::take(&mut state.deferred);
        let waiting = state.end(Phase::Suspended);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        Some(questions)
    }

    /// Ends the call, and replaces its result if it asked where it must not, or if it failed because the caller could
    /// not answer, whatever the text of that failure adds.
    pub(crate) fn finish<T>(&self, result: &mut Result<T, Failure>) {
        let mut state = lock(&self.state);
        let waiting = state.end(Phase::Ended);
        if let Some(fault) = state.fault.take() {
            *result = Err(fault);
        } else if let Some(rejection) = state.rejection.take()
            && let Err(failure) = result
            && failure.message().contains(rejection.message())
        {
            *result = Err(rejection);
        }
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Counts the time until the guard is dropped as waiting for the caller.
    #[cfg(feature = "tokio")]
    pub(super) fn waiting(&self) -> impl Drop + use<'_> {
        let mut state = lock(&self.state);
        state.clock.open_questions += 1;
        if state.clock.open_questions == 1 {
            state.clock.since = Some(tokio::time::Instant::now());
        }
        WaitGuard(self)
    }

    /// Returns how long the call has waited for its caller.
    #[cfg(feature = "tokio")]
    pub(crate) fn waited(&self) -> std::time::Duration {
        let clock = lock(&self.state).clock;
        clock.waited + clock.since.map_or(std::time::Duration::ZERO, |since| since.elapsed())
    }
}

impl QuestionState {
    /// Returns a unique key: the requested one, or one derived from the question, which stays the same when the call
    /// starts again.
    fn key(&mut self, key: Option<String>, ask: &Ask) -> String {
        let key = key.unwrap_or_else(|| {
            let noun = match ask.kind() {
                AskKind::Form => "form",
                AskKind::Url => "url",
                AskKind::Sample => "sample",
                AskKind::Roots => "roots",
            };
            let digest = Question::new("", ask.clone()).digest().to_string();
            let digits = digest.rsplit(':').next().unwrap_or_default();
            format!("{noun}-{}", &digits[..8.min(digits.len())])
        });
        let mut distinct = key.clone();
        let mut count = 1;
        while self.keys.contains(&distinct) {
            count += 1;
            distinct = format!("{key}-{count}");
        }
        self.keys.push(distinct.clone());
        distinct
    }

    /// Ends the asking, and returns the wakers of deferred questions.
    fn end(&mut self, phase: Phase) -> Vec<Waker> {
        if matches!(self.phase, Phase::Open | Phase::Closed) {
            self.phase = phase;
        }
        std::mem::take(&mut self.waiting)
    }
}

/// Removes a deferred question when dropped.
struct DeferredQuestion<'i> {
    elicitation: &'i ElicitationState,
    key: String,
}

impl Drop for DeferredQuestion<'_> {
    fn drop(&mut self) {
        lock(&self.elicitation.state).deferred.retain(|question| question.key != self.key);
    }
}

#[cfg(feature = "tokio")]
struct WaitGuard<'i>(&'i ElicitationState);

#[cfg(feature = "tokio")]
impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        let clock = &mut state.clock;
        clock.open_questions -= 1;
        if clock.open_questions == 0
            && let Some(since) = clock.since.take()
        {
            clock.waited += since.elapsed();
        }
    }
}

/// A fault of the tool. The message has nothing that the caller may not see, so it is sent in full.
fn fault(message: String) -> Failure {
    tracing::error!("{message}");
    Failure::new(FailureKind::Internal, message)
}

fn unsupported(tool: &str, elicitation_client: Option<&ElicitationClient>) -> Failure {
    let message = match elicitation_client {
        None => format!(
            "`{tool}` has a question, which this caller does not support: call it over MCP or on the command line"
        ),
        Some(_) => format!(
            "`{tool}` has a question, which it cannot ask when another tool calls it: call it directly"
        ),
    };
    Failure::new(FailureKind::Unsupported, message)
}
