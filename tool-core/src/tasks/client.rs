//! The client of a task: it answers questions from the record, and collects the others.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::context::elicitation::{Answer, Ask, AskKind, AskOutcome, ClientRequests, Question};
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
            Some(answer) => match Answer::read(question.ask.kind(), &answer.answer) {
                Ok(answer) => AskOutcome::Answer(answer),
                Err(problem) => AskOutcome::Invalid(problem),
            },
        }
    }
}

impl ClientRequests for TaskClient {
    fn supports(&self, kind: AskKind) -> bool {
        matches!(kind, AskKind::Form | AskKind::Url)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        let outcome = match &question.ask {
            Ask::Form { form, .. } if !form.secrets().is_empty() => {
                let message = "a task cannot ask for a secret, because its answers are stored: ask for a URL instead, or call the tool and wait";
                Err(Failure::new(FailureKind::Unsupported, message))
            }
            _ => Ok(self.answer(question)),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn suspended(&self, questions: Vec<Question>) {
        *lock(&self.open) = questions;
    }
}
