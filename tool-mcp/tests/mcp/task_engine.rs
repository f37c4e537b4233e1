//! An engine that keeps tasks in memory and runs them when a test says so. The first task has the identifier 1.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{
    NewTask, RunningTask, Task, TaskAnswer, TaskAttempt, TaskEnd, TaskEngine, TaskError, TaskId, TaskOutcome,
    TaskProgress, TaskRun, TaskState,
};
use tool_core::{BoxFuture, Principal};

#[derive(Default)]
pub(crate) struct MemoryEngine {
    entries: Mutex<Vec<Entry>>,
    changes: watch::Sender<u64>,
}

struct Entry {
    task: Task,
    new: NewTask,
    answers: BTreeMap<String, TaskAnswer>,
    is_running: bool,
}

/// Returns the identifier of the nth task.
pub(crate) fn task_id(n: u8) -> TaskId {
    let mut bytes = [0; 16];
    bytes[15] = n;
    TaskId::from_bytes(bytes)
}

impl MemoryEngine {
    /// Runs one attempt of each task that can run.
    pub(crate) async fn run(&self, run: &dyn TaskRun) {
        while let Some(attempt) = self.take() {
            let id = attempt.task.id;
            let end = run.run(attempt).await;
            self.change(id, |entry| {
                entry.is_running = false;
                match end {
                    TaskEnd::Ended { outcome, .. } => end_task(&mut entry.task, outcome),
                    TaskEnd::InputRequired(questions) => {
                        entry.task.state = TaskState::InputRequired;
                        entry.task.questions = questions;
                    }
                    _ => panic!("the tool is not there"),
                }
            });
        }
    }

    /// Sets the progress of a task.
    pub(crate) fn report(&self, id: TaskId, progress: TaskProgress) {
        self.change(id, |entry| entry.task.progress = Some(progress));
    }

    /// Ends a task.
    pub(crate) fn end(&self, id: TaskId, outcome: TaskOutcome) {
        self.change(id, |entry| end_task(&mut entry.task, outcome));
    }

    /// Forgets a task, as if it had expired.
    pub(crate) fn forget(&self, id: TaskId) {
        self.entries.lock().unwrap().retain(|entry| entry.task.id != id);
        self.changes.send_modify(|count| *count += 1);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.lock().unwrap().len()
    }

    /// Begins an attempt of a task that waits for one.
    fn take(&self) -> Option<TaskAttempt> {
        let mut entries = self.entries.lock().unwrap();
        let entry = entries.iter_mut().find(|it| it.task.state == TaskState::Working && !it.is_running)?;
        entry.is_running = true;
        entry.task.attempt += 1;
        let Entry { task, new, answers, .. } = entry;
        let running = RunningTask::new(task.id, new.key.as_deref().unwrap_or("none"), task.attempt);
        let mut attempt = TaskAttempt::new(running, &*new.tool, &*new.arguments, new.owner.clone());
        attempt.answers.clone_from(answers);
        Some(attempt)
    }

    fn change(&self, id: TaskId, change: impl FnOnce(&mut Entry)) {
        let mut entries = self.entries.lock().unwrap();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.task.id == id) {
            change(entry);
            entry.task.version += 1;
            entry.task.updated += Duration::from_secs(1);
        }
        // Whoever waits for changes takes the locks in the other order.
        drop(entries);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Changes a task of this owner. Returns `false` without one.
    fn change_own(&self, owner: &Principal, id: TaskId, change: impl FnOnce(&mut Entry)) -> bool {
        let is_own = self.find(owner, id).is_some();
        if is_own {
            self.change(id, change);
        }
        is_own
    }

    fn find(&self, owner: &Principal, id: TaskId) -> Option<Task> {
        let entries = self.entries.lock().unwrap();
        let entry = entries.iter().find(|it| it.task.id == id && it.new.owner.id() == owner.id())?;
        Some(entry.task.clone())
    }

    fn store(&self, new: NewTask) -> Result<Task, TaskError> {
        let mut entries = self.entries.lock().unwrap();
        let is_same = |entry: &&Entry| {
            let (owner, key) = (entry.new.owner.id() == new.owner.id(), entry.new.key == new.key);
            owner && key && entry.new.tool == new.tool && new.key.is_some()
        };
        if let Some(entry) = entries.iter().find(is_same) {
            let is_equal = entry.new.arguments_digest() == new.arguments_digest();
            return if is_equal { Ok(entry.task.clone()) } else { Err(TaskError::Conflict) };
        }
        let id = task_id(u8::try_from(entries.len() + 1).unwrap());
        let task = Task::new(id, &*new.tool, SystemTime::UNIX_EPOCH, new.options);
        let answers = new.answers.clone();
        entries.push(Entry { task: task.clone(), new, answers, is_running: false });
        drop(entries);
        self.changes.send_modify(|count| *count += 1);
        Ok(task)
    }
}

fn end_task(task: &mut Task, outcome: TaskOutcome) {
    task.state = outcome.state();
    task.questions.clear();
    task.outcome = Some(outcome);
}

impl TaskEngine for MemoryEngine {
    fn create(&self, task: NewTask) -> BoxFuture<'_, Result<Task, TaskError>> {
        Box::pin(async { self.store(task) })
    }

    fn get<'a>(
        &'a self,
        owner: &'a Principal,
        id: &'a TaskId,
    ) -> BoxFuture<'a, Result<Option<Task>, TaskError>> {
        Box::pin(async { Ok(self.find(owner, *id)) })
    }

    fn list<'a>(
        &'a self,
        _: &'a Principal,
        _: Option<&'a TaskId>,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<Task>, TaskError>> {
        Box::pin(async { unreachable!("MCP lists no tasks") })
    }

    fn answer<'a>(
        &'a self,
        owner: &'a Principal,
        id: &'a TaskId,
        answers: Map<String, Value>,
    ) -> BoxFuture<'a, Result<bool, TaskError>> {
        let answered = self.change_own(owner, *id, |entry| {
            for (key, answer) in answers {
                if let Some(question) = entry.task.questions.remove(&key) {
                    entry.answers.insert(key, TaskAnswer { digest: question.digest, answer });
                }
            }
            if entry.task.questions.is_empty() && !entry.task.state.has_ended() {
                entry.task.state = TaskState::Working;
            }
        });
        Box::pin(async move { Ok(answered) })
    }

    fn cancel<'a>(&'a self, owner: &'a Principal, id: &'a TaskId) -> BoxFuture<'a, Result<bool, TaskError>> {
        let canceled = self.change_own(owner, *id, |entry| {
            entry.task.is_canceled = true;
            if !entry.is_running && !entry.task.state.has_ended() {
                end_task(&mut entry.task, TaskOutcome::canceled());
            }
        });
        Box::pin(async move { Ok(canceled) })
    }

    fn changed<'a>(&'a self, id: &'a TaskId, version: u64) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let mut changes = self.changes.subscribe();
            let is_newer = || {
                let entries = self.entries.lock().unwrap();
                entries.iter().find(|entry| entry.task.id == *id).is_none_or(|it| it.task.version > version)
            };
            let _ = changes.wait_for(|_| is_newer()).await;
        })
    }

    fn work(&self, run: Arc<dyn TaskRun>, stop: CancellationToken) -> BoxFuture<'_, Result<(), TaskError>> {
        Box::pin(async move {
            let mut changes = self.changes.subscribe();
            while stop.run_until_cancelled(changes.changed()).await.is_some_and(|it| it.is_ok()) {
                self.run(&*run).await;
            }
            Ok(())
        })
    }
}
