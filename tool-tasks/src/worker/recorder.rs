//! Recording how attempts ended.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{TaskEnd, TaskId, TaskOutcome, TaskState};
use tool_core::{CallId, Failure};

use crate::core::{Core, end, find, release, store_progress, wait_for_answers};
use crate::database::{BACK_OFF, Stored, Transaction};
use crate::record::Record;
use crate::running::Running;
use crate::worker::stop::given_up;

/// How many ends are recorded in one transaction at most.
const BATCH: usize = 64;

/// How long a task waits whose tool this process does not have.
const NO_TOOL: Duration = Duration::from_secs(5);

/// The longest time between two attempts.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// How an attempt ended.
pub(super) struct End {
    pub(super) id: TaskId,
    pub(super) tool: String,
    pub(super) running: Running,
    pub(super) end: TaskEnd,
    /// Completed when the end is recorded.
    pub(super) recorded: oneshot::Sender<()>,
}

/// Records ends until there are no more, those that are there at once in one transaction. Waits for a database that is away, but
/// after `stop` only once and for a while.
pub(super) async fn record(core: Arc<Core>, mut received: mpsc::Receiver<End>, stop: CancellationToken) {
    let mut ends = Vec::new();
    let mut without_tool = HashSet::new();
    let mut has_given_up = false;
    while received.recv_many(&mut ends, BATCH).await > 0 {
        ends.sort_unstable_by_key(|end| end.id);
        if !has_given_up {
            tokio::select! {
                () = record_until_stored(&core, &ends) => {}
                () = given_up(&stop) => has_given_up = true,
            }
        }
        if has_given_up {
            tracing::error!(
                tasks = ends.len(),
                "the ends of tasks were not recorded; another worker takes these tasks over"
            );
            ends.clear();
        }
        for end in ends.drain(..) {
            if matches!(end.end, TaskEnd::NoTool) && without_tool.insert(end.tool.clone()) {
                tracing::warn!(tool = end.tool, "a task waits for a process that has its tool");
            }
            let _ = end.recorded.send(());
        }
    }
}

async fn record_until_stored(core: &Core, ends: &[End]) {
    let mut pause = BACK_OFF.0;
    while let Err(error) = record_all(core, ends).await {
        tracing::warn!(%error, "the ends of tasks cannot be recorded; trying again");
        sleep(pause).await;
        pause = (pause * 2).min(BACK_OFF.1);
    }
}

async fn record_all(core: &Core, ends: &[End]) -> Stored<()> {
    let mut transaction = core.database.begin().await?;
    for end in ends {
        record_one(&mut *transaction, end).await?;
    }
    transaction.commit().await
}

async fn record_one(transaction: &mut dyn Transaction, ended: &End) -> Stored<()> {
    let Some(mut record) = find(transaction, &ended.id.to_string()).await? else { return Ok(()) };
    if record.attempt != ended.running.attempt || record.state != TaskState::Working {
        return Ok(());
    }
    if let Some(progress) = ended.running.progress.take() {
        let result = store_progress(transaction, &ended.id, record.attempt, &progress).await;
        ended.running.progress.put_back(progress);
        result?;
    }
    match &ended.end {
        TaskEnd::Ended { may_retry: true, .. } if !record.is_canceled && !record.is_spent() => {
            let delay = retry_delay(&record);
            release(transaction, &record, delay).await
        }
        TaskEnd::Ended { outcome, .. } => end(transaction, &record, outcome).await,
        _ if record.is_canceled => end(transaction, &record, &TaskOutcome::canceled()).await,
        TaskEnd::InputRequired(questions) if !questions.is_empty() => {
            record.questions.clone_from(questions);
            wait_for_answers(transaction, &record).await
        }
        // It is in the queue already, if the commit before this one arrived after all.
        TaskEnd::NoTool if record.worker.as_deref() != Some(&*ended.running.worker) => Ok(()),
        TaskEnd::NoTool => {
            // It did not begin.
            record.begun -= i64::from(!ended.running.is_resuming);
            record.is_resuming = ended.running.is_resuming;
            release(transaction, &record, NO_TOOL).await
        }
        _ => {
            tracing::error!(task = %ended.id, "the call of a task waits for answers, and has no question");
            let outcome = TaskOutcome::new(CallId::new(), Err(Failure::internal()));
            end(transaction, &record, &outcome).await
        }
    }
}

/// Returns how long a task waits before it begins again: 1 s, 2 s, 4 s and so on.
fn retry_delay(record: &Record) -> Duration {
    let doublings = u32::try_from(record.begun - 1).unwrap_or_default().min(6);
    Duration::from_secs(1 << doublings).min(MAX_DELAY)
}
