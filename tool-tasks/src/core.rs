//! The state of an engine that its calls and its workers share.

use std::sync::Arc;
use std::time::Duration;

use tool_core::tasks::{TaskId, TaskOutcome};

use crate::changes::Changes;
use crate::database::{Database, Stored, Transaction, cells};
use crate::options::EngineOptions;
use crate::record::{FIND_RECORD, Record, now, to_json};
use crate::running::RunningTasks;

/// The state of an engine that its calls and its workers share.
pub(crate) struct Core {
    pub(crate) database: Arc<dyn Database>,
    /// The same database, for heartbeats.
    pub(crate) heartbeat: Arc<dyn Database>,
    pub(crate) options: EngineOptions,
    pub(crate) running: RunningTasks,
    pub(crate) changes: Arc<Changes>,
}

impl Core {
    pub(crate) fn new(database: Arc<dyn Database>, options: EngineOptions) -> Self {
        let heartbeat = database.for_heartbeat();
        Core { database, heartbeat, options, running: RunningTasks::default(), changes: Arc::default() }
    }

    /// Wakes those who wait for changes of this task, here and in other processes.
    pub(crate) fn notify(&self, id: &TaskId) {
        self.changes.notify(id);
        self.database.announce(id);
    }

    /// Wakes the workers of this process. The queue wakes those of others, if the database can.
    pub(crate) fn notify_workers(&self) {
        self.changes.due.notify_waiters();
    }
}

/// What becomes of a task that no worker has.
#[derive(Debug)]
pub(crate) enum Next {
    /// It ends without beginning again.
    End(TaskOutcome),
    /// It begins, or begins again.
    Begin,
}

/// Returns what becomes of a task that no worker has.
pub(crate) fn next(record: &Record) -> Next {
    if record.is_canceled {
        Next::End(TaskOutcome::canceled())
    } else if record.is_resuming || !record.is_spent() {
        Next::Begin
    } else {
        Next::End(TaskOutcome::interrupted())
    }
}

/// Finds a record, which no other transaction can change until this one ends.
pub(crate) async fn find(transaction: &mut dyn Transaction, id: &str) -> Stored<Option<Record>> {
    let rows = transaction.lock_rows(FIND_RECORD, cells![id]).await?;
    rows.into_iter().next().map(Record::read).transpose()
}

/// Records how a task ended.
pub(crate) const END: &str = "UPDATE tool_task SET state = $3, outcome = $4, worker = NULL, resuming = 0, questions = NULL, cancel = $5, \
     version = version + 1, updated = $6 WHERE id = $1 AND attempt = $2 AND state IN ('working', 'input_required')";

/// Records how a task ended, unless it has ended or begun again.
pub(crate) async fn end(
    transaction: &mut dyn Transaction,
    record: &Record,
    outcome: &TaskOutcome,
) -> Stored<()> {
    let canceled = i64::from(record.is_canceled);
    let state = outcome.state().as_str();
    let id = record.id.to_string();
    let values = cells![id, record.attempt, state, to_json(outcome), canceled, now()];
    transaction.execute(END, values).await?;
    Ok(())
}

/// Puts a task back into the queue.
pub(crate) const RELEASE: &str = "UPDATE tool_task SET worker = NULL, begun = $3, resuming = $4, version = version + 1, updated = $5 \
     WHERE id = $1 AND attempt = $2 AND state = 'working'";

/// Puts a task back into the queue.
pub(crate) async fn release(
    transaction: &mut dyn Transaction,
    record: &Record,
    delay: Duration,
) -> Stored<()> {
    let id = record.id.to_string();
    let values = cells![id.as_str(), record.attempt, record.begun, i64::from(record.is_resuming), now()];
    transaction.execute(RELEASE, values).await?;
    transaction.remove(&id).await?;
    transaction.push(&id, delay).await
}

/// Records what a task asks.
pub(crate) const INPUT_REQUIRED: &str = "UPDATE tool_task SET state = 'input_required', worker = NULL, questions = $3, version = version + 1, \
     updated = $4 WHERE id = $1 AND attempt = $2 AND state = 'working'";

/// Records the questions that a task waits for.
pub(crate) async fn wait_for_answers(transaction: &mut dyn Transaction, record: &Record) -> Stored<()> {
    let values = cells![record.id.to_string(), record.attempt, to_json(&record.questions), now()];
    transaction.execute(INPUT_REQUIRED, values).await?;
    Ok(())
}

const STORE_PROGRESS: &str = "UPDATE tool_task SET progress = $3, version = version + 1, updated = $4 \
     WHERE id = $1 AND attempt = $2 AND state = 'working'";

/// Records the progress of an attempt.
pub(crate) async fn store_progress(
    transaction: &mut dyn Transaction,
    id: &TaskId,
    attempt: i64,
    progress: &tool_core::tasks::TaskProgress,
) -> Stored<()> {
    let values = cells![id.to_string(), attempt, to_json(progress), now()];
    transaction.execute(STORE_PROGRESS, values).await?;
    Ok(())
}
