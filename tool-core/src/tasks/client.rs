//! The clients of a call that a task makes: one that answers questions from the record and collects the others, and the caller
//! before the task exists.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};

use crate::context::elicitation::{Answer, Ask, AskKind, AskOutcome, ClientRequests, Elicited, Question};
use crate::model::failure::{Failure, FailureKind};
use crate::model::future::BoxFuture;
use crate::model::lock::lock;
use crate::tasks::record::{TaskAnswer, TaskQuestion};

/// Answers the questions of a task from its record. A question without an answer ends the attempt.
#[derive(Debug)]
pub(crate) struct TaskClient {
    answers: BTreeMap<String, TaskAnswer>,
    open: Mutex<Vec<Question>>,
}

impl TaskClient {
    pub(crate) fn new(answers: BTreeMap<String, TaskAnswer>) -> Self {
        TaskClient { answers, open: Mutex::default() }
    }

    /// Returns the questions that are open.
    pub(crate) fn questions(&self) -> BTreeMap<String, TaskQuestion> {
        let open = lock(&self.open);
        let stored = |question: &Question| {
            let question_of_task =
                TaskQuestion { digest: question.digest().to_string(), request: question.to_request() };
            (question.key.clone(), question_of_task)
        };
        open.iter().map(stored).collect()
    }

    fn answer(&self, question: &Question) -> AskOutcome {
        // An answer that was invalid is asked for again.
        let answer = self.answers.get(&question.key).filter(|_| question.problems.is_empty());
        match answer.filter(|answer| answer.digest == question.digest().to_string()) {
            None => AskOutcome::Deferred,
            Some(answer) => match Answer::from_result(question.ask.kind(), &answer.answer) {
                Ok(answer) => AskOutcome::Answer(answer),
                Err(problem) => AskOutcome::Invalid(problem),
            },
        }
    }
}

impl ClientRequests for TaskClient {
    fn supports(&self, kind: AskKind) -> bool {
        is_for_tasks(kind)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(std::future::ready(refuse_secrets(question).map(|()| self.answer(question))))
    }

    fn suspended(&self, questions: Vec<Question>) {
        *lock(&self.open) = questions;
    }
}

/// The caller of a tool before its task exists: its answers are collected for the task.
pub(crate) struct TaskCreator {
    client: Arc<dyn ClientRequests>,
    answers: Mutex<BTreeMap<String, TaskAnswer>>,
}

impl TaskCreator {
    pub(crate) fn new(client: Arc<dyn ClientRequests>) -> Self {
        TaskCreator { client, answers: Mutex::default() }
    }

    /// Returns the answers so far, by the keys of their questions.
    pub(crate) fn answers(&self) -> BTreeMap<String, TaskAnswer> {
        lock(&self.answers).clone()
    }
}

impl ClientRequests for TaskCreator {
    fn supports(&self, kind: AskKind) -> bool {
        is_for_tasks(kind) && self.client.supports(kind)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(async move {
            refuse_secrets(question)?;
            let outcome = self.client.ask(question).await?;
            if let AskOutcome::Answer(Answer::Elicited(answer)) = &outcome {
                let answer = TaskAnswer { digest: question.digest().to_string(), answer: stored(answer) };
                lock(&self.answers).insert(question.key.clone(), answer);
            }
            Ok(outcome)
        })
    }

    fn suspended(&self, questions: Vec<Question>) {
        self.client.suspended(questions);
    }
}

/// Returns `true` if a task can ask questions of this kind.
fn is_for_tasks(kind: AskKind) -> bool {
    matches!(kind, AskKind::Form | AskKind::Url)
}

/// # Errors
///
/// If the question is a form with a secret, which would be stored.
fn refuse_secrets(question: &Question) -> Result<(), Failure> {
    match &question.ask {
        Ask::Form { form, .. } if !form.secrets().is_empty() => {
            let message = "a task cannot ask for a secret, because its answers are stored: ask for a URL instead, or call the tool and wait";
            Err(Failure::new(FailureKind::Unsupported, message))
        }
        _ => Ok(()),
    }
}

/// Returns an answer as an MCP client gives it.
fn stored(answer: &Elicited<Map<String, Value>>) -> Value {
    match answer {
        Elicited::Accepted(content) => json!({"action": "accept", "content": content}),
        Elicited::Declined => json!({"action": "decline"}),
        Elicited::Cancelled => json!({"action": "cancel"}),
    }
}
