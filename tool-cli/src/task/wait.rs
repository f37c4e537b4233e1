//! Waiting for a task.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Map;
use tool_core::elicitation::AskOutcome;
use tool_core::failure::Reason;
use tool_core::tasks::{Task, TaskId, TaskProgress, TaskState};
use tool_core::{Failure, FailureKind};

use crate::elicitation::{Answers, TerminalElicitor};
use crate::progress::{self, ProgressWatch};
use crate::streams::Streams;
use crate::task::{Tasks, question};
use crate::terminal::Terminal;

/// How long a task may wait for a worker before a notice says so.
const WORKER_PATIENCE: Duration = Duration::from_secs(3);

/// How long to wait before a database that does not answer is asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Waits for a task, with its progress and its questions.
pub(super) struct Waiter<'a> {
    tasks: &'a Tasks<'a>,
    /// The answers of `run --answer`.
    answers: Answers,
    limit: Option<Duration>,
    /// The questions that were answered with `answers`. If one is asked again, the answer was not accepted.
    answered: RefCell<BTreeSet<String>>,
}

impl<'a> Waiter<'a> {
    pub(super) fn new(tasks: &'a Tasks<'a>, answers: Answers, limit: Option<Duration>) -> Self {
        Waiter { tasks, answers, limit, answered: RefCell::default() }
    }

    /// Waits until the task has ended.
    ///
    /// # Errors
    ///
    /// If the wait is interrupted or takes too long, or if a question cannot be answered here. The task goes on.
    pub(super) async fn wait(&self, task: Task, streams: &mut Streams) -> Result<Task, Failure> {
        let id = task.id;
        let (interrupted, _) = streams.interrupt().listen();
        let watch = progress::watch(streams);
        let too_long = async {
            match self.limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        let reason = tokio::select! {
            ended = self.follow(task, watch.as_ref(), streams) => return ended,
            () = interrupted.cancelled() => Failure::new(FailureKind::Cancelled, "the wait was interrupted"),
            () = too_long => {
                let limit = self.limit.unwrap_or_default();
                Failure::new(FailureKind::Timeout, format!("the task did not end within {limit:?}")).with_retryable(true)
            }
        };
        // A thread that reads the terminal must not delay the end.
        streams.abandon();
        let message = format!("{}; {}", reason.message(), self.goes_on(&id));
        Err(reason.with_message(message))
    }

    /// Says that the task is left alone, and how to return to it.
    fn goes_on(&self, id: &TaskId) -> String {
        let [wait, cancel] = ["wait", "cancel"].map(|command| self.tasks.command(command, id));
        format!("the task goes on: wait for it with `{wait}`, or cancel it with `{cancel}`")
    }

    /// Follows the task to its end.
    async fn follow(
        &self,
        mut task: Task,
        watch: Option<&ProgressWatch>,
        streams: &Streams,
    ) -> Result<Task, Failure> {
        let began = Instant::now();
        let mut shown: Option<TaskProgress> = None;
        let mut has_hinted = false;
        loop {
            if let (Some(watch), Some(progress)) = (watch, &task.progress)
                && shown.as_ref() != Some(progress)
            {
                watch.display().show(progress.done, progress.total, &progress.message);
                shown = Some(progress.clone());
            }
            match task.state {
                TaskState::InputRequired => self.answer(&task, watch, streams).await?,
                state if state.has_ended() => return Ok(task),
                _ => {}
            }
            if task.attempt == 0 && !has_hinted && began.elapsed() >= WORKER_PATIENCE {
                has_hinted = true;
                let program = self.tasks.program;
                streams.notice(&format!(
                    "no worker has taken the task yet: `{program} task work` runs one, and so does a server"
                ));
            }
            let newer = self.newer(&task, streams);
            if task.attempt > 0 || has_hinted {
                task = newer.await?;
            } else if let Ok(newer) =
                tokio::time::timeout(WORKER_PATIENCE.saturating_sub(began.elapsed()), newer).await
            {
                task = newer?;
            }
        }
    }

    /// Waits for a newer state of the task, which may be the same.
    async fn newer(&self, task: &Task, streams: &Streams) -> Result<Task, Failure> {
        let mut has_hinted = false;
        loop {
            self.tasks.engine.changed(&task.id, task.version).await;
            match self.tasks.engine.get(self.tasks.registry.principal(), &task.id).await {
                Ok(Some(newer)) => return Ok(newer),
                Ok(None) => {
                    let message = format!("Task not found: {}", task.id);
                    return Err(Failure::new(FailureKind::Failed(Reason::NotFound), message));
                }
                Err(error) => {
                    if !std::mem::replace(&mut has_hinted, true) {
                        streams.notice(&format!("{error}; trying again until they can be"));
                    }
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }

    /// Answers the open questions of the task.
    async fn answer(
        &self,
        task: &Task,
        watch: Option<&ProgressWatch>,
        streams: &Streams,
    ) -> Result<(), Failure> {
        let mut given = Map::new();
        for (key, stored) in &task.questions {
            let question = question::read(key, stored)?;
            let is_first = self.answered.borrow_mut().insert(key.clone());
            let answers = if is_first { self.answers.clone() } else { Answers::default() };
            let (terminal, display) = (Terminal::new(streams), watch.map(ProgressWatch::display));
            let elicitor = TerminalElicitor::new(terminal, streams.is_interactive(), answers, display)
                .answer_command(self.tasks.command("answer", &task.id));
            if let AskOutcome::Answer(answer) = elicitor.ask(&question).await? {
                given.insert(key.clone(), question::answer_json(answer));
            }
        }
        let owner = self.tasks.registry.principal();
        self.tasks
            .engine
            .answer(owner, &task.id, given)
            .await
            .map_err(tool_core::tasks::TaskError::into_failure)?;
        Ok(())
    }
}
