//! What is known of the questions of one call: kept beside its context, and looked at by the pipeline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};

use crate::context::Context;
use crate::context::elicitation::question::{Ask, AskKind, Question};
use crate::context::elicitation::{ClientRequests, ElicitationClient};
use crate::model::failure::{Failure, FailureKind};
use crate::model::output::Output;

/// The questions of one call.
#[derive(Debug, Default)]
pub(crate) struct ElicitationState {
    /// Whether a `Writer` was taken, or a tool called that modifies.
    modified: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// What questions are known by.
    keys: Vec<String>,
    /// Those that are answered later, and are still waited for.
    deferred: Vec<Question>,
    /// Who is told when a question is to be answered later.
    pipeline: Option<Waker>,
    /// Who waits for the end of a call that is suspended.
    waiting: Vec<Waker>,
    /// Why a question was not answered, where the caller could not be asked or went away.
    rejection: Option<Failure>,
    /// What the author of the tool has to mend.
    fault: Option<Failure>,
    #[cfg(feature = "tokio")]
    clock: Clock,
}

/// How far the call has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Its function has not begun, or cannot wait.
    #[default]
    Closed,
    /// Its function runs, and may ask.
    Open,
    /// It waits for answers that come with another call.
    Suspended,
    /// It has ended.
    Ended,
}

/// How long callers were waited for.
#[cfg(feature = "tokio")]
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    open_questions: usize,
    since: Option<tokio::time::Instant>,
    waited: std::time::Duration,
}

impl ElicitationState {
    /// From now on the call may ask.
    pub(crate) fn open(&self) {
        self.state().phase = Phase::Open;
    }

    /// Something was changed, or may have been.
    pub(crate) fn mark_modified(&self) {
        self.modified.store(true, Ordering::Relaxed);
    }

    /// A question, if the call may ask it now, and who is asked.
    pub(super) fn begin(
        &self,
        context: &Context,
        key: Option<String>,
        ask: Ask,
    ) -> Result<(Question, Arc<dyn ClientRequests>), Failure> {
        let mut state = self.state();
        if self.modified.load(Ordering::Relaxed) {
            let failure = modified_before_asking(context.tool());
            return Err(state.fault.insert(failure).clone());
        }
        let client = match context.elicitation_client() {
            Some(ElicitationClient::Direct(client)) => Arc::clone(client),
            other => return Err(state.rejection.insert(unsupported(context.tool(), other)).clone()),
        };
        match state.phase {
            Phase::Open => {}
            Phase::Suspended => return Err(Failure::suspended()),
            Phase::Closed => {
                let message = format!(
                    "`{}` asks where it cannot wait for an answer: ask in an `async fn` or a `blocking` one that is a tool, \
                     not in what decides about access",
                    context.tool()
                );
                return Err(state.fault.insert(fault(message)).clone());
            }
            Phase::Ended => {
                return Err(Failure::new(
                    FailureKind::Unsupported,
                    "the call has ended, and nobody can be asked",
                ));
            }
        }
        let key = state.key(key, &ask);
        Ok((Question::new(key, ask), client))
    }

    /// The call cannot ask its caller this, or not any more.
    pub(super) fn reject(&self, failure: Failure) -> Failure {
        self.state().rejection.insert(failure).clone()
    }

    /// The question is one that nobody can be asked.
    pub(super) fn report_misuse(&self, message: String) -> Failure {
        self.state().fault.insert(fault(message)).clone()
    }

    /// The question is answered later: waits for the end of this call.
    pub(super) async fn suspend(&self, question: Question) -> Failure {
        // Who stops waiting for an answer does not need it.
        let _later = DeferredQuestion { elicitation: self, key: question.key.clone() };
        let pipeline = {
            let mut state = self.state();
            state.deferred.push(question);
            state.pipeline.take()
        };
        if let Some(pipeline) = pipeline {
            pipeline.wake();
        }
        std::future::poll_fn(|cx| {
            let mut state = self.state();
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

    /// Whether the call, which waits, waits for answers that come later. If so, it is suspended, and they are these.
    pub(crate) fn poll_suspended(&self, cx: &mut TaskContext<'_>) -> Option<Vec<Question>> {
        let mut state = self.state();
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

    /// The call has ended like this. Two things count more than what its function made of them: that it asked when it
    /// must not, and that its caller could not be asked or went away when that is what it failed for, in whatever words of
    /// its own.
    pub(crate) fn finish(&self, result: &mut Result<Output, Failure>) {
        let mut state = self.state();
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

    /// For as long as it lives, the caller is waited for.
    #[cfg(feature = "tokio")]
    pub(super) fn waiting(&self) -> impl Drop + use<'_> {
        let mut state = self.state();
        state.clock.open_questions += 1;
        if state.clock.open_questions == 1 {
            state.clock.since = Some(tokio::time::Instant::now());
        }
        WaitGuard(self)
    }

    /// How long the caller was waited for until now.
    #[cfg(feature = "tokio")]
    pub(crate) fn waited(&self) -> std::time::Duration {
        let clock = self.state().clock;
        clock.waited + clock.since.map_or(std::time::Duration::ZERO, |since| since.elapsed())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing of others runs while it is locked, but the making of a clone of a waker.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A key that no question of the call has: what was asked for, or what is asked in short, which stays the same when the
    /// call starts again.
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

    /// Nothing is asked any more; who is to be told.
    fn end(&mut self, phase: Phase) -> Vec<Waker> {
        if matches!(self.phase, Phase::Open | Phase::Closed) {
            self.phase = phase;
        }
        std::mem::take(&mut self.waiting)
    }
}

/// A question that is waited for.
struct DeferredQuestion<'i> {
    elicitation: &'i ElicitationState,
    key: String,
}

impl Drop for DeferredQuestion<'_> {
    fn drop(&mut self) {
        self.elicitation.state().deferred.retain(|question| question.key != self.key);
    }
}

#[cfg(feature = "tokio")]
struct WaitGuard<'i>(&'i ElicitationState);

#[cfg(feature = "tokio")]
impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        let clock = &mut state.clock;
        clock.open_questions -= 1;
        if clock.open_questions == 0
            && let Some(since) = clock.since.take()
        {
            clock.waited += since.elapsed();
        }
    }
}

/// What the author has to mend. It is told in full: there is nothing in it that the caller may not see.
fn fault(message: String) -> Failure {
    tracing::error!("{message}");
    Failure::new(FailureKind::Internal, message)
}

fn modified_before_asking(tool: &str) -> Failure {
    fault(format!(
        "`{tool}` asks after it has taken its `Writer`: a call starts again when it is answered, and would write twice; ask \
         first"
    ))
}

/// Nobody can be asked anything.
fn unsupported(tool: &str, elicitation_client: Option<&ElicitationClient>) -> Failure {
    let message = match elicitation_client {
        None => format!(
            "`{tool}` has a question, and this caller cannot be asked: call it over MCP or on the command line"
        ),
        Some(_) => format!("`{tool}` has a question, and was called by another tool: call it by itself"),
    };
    Failure::new(FailureKind::Unsupported, message)
}
