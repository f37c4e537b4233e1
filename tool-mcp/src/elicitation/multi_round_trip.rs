//! 2026-07-28: a question is part of a result, and its answer comes with a retry of the call.

use std::sync::Mutex;

use rmcp::model::InputRequests;
use serde_json::{Map, Value};
use tool_core::elicitation::{Answer, AskKind, AskOutcome, ClientRequests, Question};
use tool_core::{BoxFuture, Failure};

use crate::elicitation::capabilities::Capabilities;
use crate::elicitation::request_state::{SealedQuestion, SealedQuestions};
use crate::sync::lock;

/// Answers questions from previous round trips, and collects the others.
///
/// An answer belongs to a question with the same key and the same digest: a tool that asks another question under the key
/// gets no answer. A client may also answer before it is asked, by the key.
pub(crate) struct MultiRoundTrip {
    capabilities: Capabilities,
    /// The questions of previous round trips; `None` in the first one.
    previous: Option<SealedQuestions>,
    /// The answers of this round trip, by the keys of the questions.
    responses: Map<String, Value>,
    state: Mutex<RoundState>,
}

#[derive(Default)]
struct RoundState {
    /// The questions with answers that the call has used.
    used: SealedQuestions,
    /// The questions for the client.
    questions: Vec<Question>,
    /// The kind of a question that the client does not support.
    unsupported: Option<AskKind>,
}

impl MultiRoundTrip {
    pub(super) fn new(
        capabilities: Capabilities,
        previous: Option<SealedQuestions>,
        responses: Option<&Map<String, Value>>,
    ) -> Self {
        let responses = responses.cloned().unwrap_or_default();
        MultiRoundTrip { capabilities, previous, responses, state: Mutex::default() }
    }

    /// Returns the questions for the client, and the state for the next round trip.
    pub(super) fn requests(&self) -> (InputRequests, SealedQuestions) {
        let mut state = lock(&self.state);
        let mut requests = InputRequests::new();
        let mut next = std::mem::take(&mut state.used);
        for question in &state.questions {
            match serde_json::from_value(question.to_request()) {
                Ok(request) => drop(requests.insert(question.key.clone(), request)),
                Err(error) => {
                    tracing::error!(%error, key = question.key, "a question cannot be sent to the client");
                }
            }
            next.insert(question.key.clone(), SealedQuestion::unanswered(question));
        }
        // Keep answers that the call has not used yet.
        for (key, previous) in self.previous.iter().flatten().filter(|(key, _)| !requests.contains_key(*key))
        {
            let answer = previous.answer.clone().or_else(|| self.responses.get(key).cloned());
            if answer.is_some() {
                next.entry(key.clone()).or_insert_with(|| SealedQuestion { answer, ..previous.clone() });
            }
        }
        (requests, next)
    }

    /// Returns the kind of a question that the client does not support.
    pub(super) fn unsupported(&self) -> Option<AskKind> {
        lock(&self.state).unsupported
    }

    /// Returns the answer to a question, if there is one.
    fn answer(&self, question: &Question) -> Option<Value> {
        let response = || self.responses.get(&question.key).cloned();
        let Some(previous) = &self.previous else { return response() };
        let previous = previous.get(&question.key)?;
        let is_same = previous.digest == SealedQuestion::unanswered(question).digest;
        previous.answer.clone().or_else(response).filter(|_| is_same)
    }

    fn ask(&self, question: &Question) -> Result<AskOutcome, Failure> {
        let mut state = lock(&self.state);
        if let Err(failure) = self.capabilities.check(question) {
            let kind = question.ask.kind();
            if !self.capabilities.contain(kind) {
                state.unsupported = Some(kind);
            }
            return Err(failure);
        }
        if !question.problems.is_empty() {
            state.used.remove(&question.key);
            return Ok(AskOutcome::Deferred);
        }
        let Some(answer) = self.answer(question) else { return Ok(AskOutcome::Deferred) };
        match Answer::from_result(question.ask.kind(), &answer) {
            Ok(decoded) => {
                let used = SealedQuestion { answer: Some(answer), ..SealedQuestion::unanswered(question) };
                state.used.insert(question.key.clone(), used);
                Ok(AskOutcome::Answer(decoded))
            }
            Err(wrong) => Ok(AskOutcome::Invalid(wrong)),
        }
    }
}

impl ClientRequests for MultiRoundTrip {
    fn supports(&self, kind: AskKind) -> bool {
        self.capabilities.contain(kind)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(std::future::ready(MultiRoundTrip::ask(self, question)))
    }

    fn suspended(&self, questions: Vec<Question>) {
        lock(&self.state).questions = questions;
    }
}
