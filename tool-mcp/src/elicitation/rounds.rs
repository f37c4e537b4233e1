//! 2026-07-28: a question is part of a result, and its answer comes with the same call made again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::InputRequests;
use serde_json::{Map, Value};
use tool_core::elicitation::{AskKind, AskOutcome, ClientRequests, Question};
use tool_core::{BoxFuture, Failure};

use crate::elicitation::capabilities::Capabilities;
use crate::elicitation::request_state::{Entries, Entry};
use crate::elicitation::wire;

/// Answers what was answered before, and takes down the rest.
///
/// An answer is one to the question that has its key and is word for word the one that was asked under it: a tool that asks
/// otherwise when it starts again asks anew. A client may also answer before it is asked, by the key.
pub(crate) struct Rounds {
    capabilities: Capabilities,
    /// What was asked and answered until now; `None` where no state came along.
    entries: Option<Entries>,
    /// What the client sent along, by the keys of the questions.
    responses: Map<String, Value>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The answers that were used, by the keys of their questions.
    used: Entries,
    /// What is asked of the client.
    questions: Vec<Question>,
    /// What the client does not know how to answer.
    lacking: Option<AskKind>,
}

impl Rounds {
    pub(super) fn new(
        capabilities: Capabilities,
        entries: Option<Entries>,
        responses: Option<&Map<String, Value>>,
    ) -> Self {
        Rounds {
            capabilities,
            entries,
            responses: responses.cloned().unwrap_or_default(),
            state: Mutex::default(),
        }
    }

    /// What the client is asked, and what is to be known when it answers.
    pub(super) fn requests(&self) -> (InputRequests, Entries) {
        let mut state = self.state();
        let mut requests = InputRequests::new();
        let mut entries = std::mem::take(&mut state.used);
        for question in &state.questions {
            match serde_json::from_value(wire::request(question)) {
                Ok(request) => drop(requests.insert(question.key.clone(), request)),
                Err(error) => {
                    tracing::error!(%error, key = question.key, "a question cannot be put to the client");
                }
            }
            entries.insert(question.key.clone(), Entry::unanswered(question));
        }
        // What was answered and is not asked about now may be asked about later.
        for (key, entry) in self.entries.iter().flatten().filter(|(key, _)| !requests.contains_key(*key)) {
            let answer = entry.answer.clone().or_else(|| self.responses.get(key).cloned());
            if answer.is_some() {
                entries.entry(key.clone()).or_insert_with(|| Entry { answer, ..entry.clone() });
            }
        }
        (requests, entries)
    }

    /// What the client was to be asked and does not know how to answer.
    pub(super) fn lacking(&self) -> Option<AskKind> {
        self.state().lacking
    }

    /// The answer to a question, if the client has given one.
    fn answer(&self, question: &Question) -> Option<Value> {
        let unanswered = Entry::unanswered(question);
        let key = &question.key;
        match &self.entries {
            // Nothing was asked: whatever has its key is meant for it.
            None => self.responses.get(key).cloned(),
            Some(entries) => {
                let entry = entries.get(key).filter(|entry| entry.digest == unanswered.digest)?;
                entry.answer.clone().or_else(|| self.responses.get(key).cloned())
            }
        }
    }

    fn ask(&self, question: &Question) -> Result<AskOutcome, Failure> {
        let mut state = self.state();
        if let Err(failure) = self.capabilities.admit(question) {
            let kind = question.ask.kind();
            if !self.capabilities.contain(kind) {
                state.lacking = Some(kind);
            }
            return Err(failure);
        }
        if !question.problems.is_empty() {
            state.used.remove(&question.key);
            return Ok(AskOutcome::Deferred);
        }
        let Some(answer) = self.answer(question) else { return Ok(AskOutcome::Deferred) };
        match wire::answer(question.ask.kind(), &answer) {
            Ok(decoded) => {
                state.used.insert(
                    question.key.clone(),
                    Entry { answer: Some(answer), ..Entry::unanswered(question) },
                );
                Ok(AskOutcome::Answer(decoded))
            }
            Err(wrong) => Ok(AskOutcome::Invalid(wrong)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing of others runs while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientRequests for Rounds {
    fn supports(&self, kind: AskKind) -> bool {
        self.capabilities.contain(kind)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(std::future::ready(Rounds::ask(self, question)))
    }

    fn suspended(&self, questions: Vec<Question>) {
        self.state().questions = questions;
    }
}
