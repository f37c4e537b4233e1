//! Taking tasks from the queue.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{TaskAttempt, TaskState};

use crate::core::{Core, Next, end, find, next};
use crate::database::{BACK_OFF, Stored, Transaction, cells};
use crate::record::{Record, now};
use crate::running::{LastProgress, Running};
use crate::worker::rows::join;

/// How many tasks are taken in one transaction at most.
const BATCH: usize = 64;

/// An attempt that this worker has taken.
pub(super) struct Claimed {
    pub(super) attempt: TaskAttempt,
    pub(super) running: Running,
}

/// Takes tasks for a worker.
pub(super) struct Claims<'a> {
    core: &'a Core,
    worker: &'a Arc<str>,
    /// The name in the queue: a fresh one after each error of the database, since the old one may be gone.
    name: Option<String>,
    names: u64,
    may_have_more: bool,
}

/// Begins an attempt.
pub(crate) const BEGIN: &str = "UPDATE tool_task SET attempt = $3, begun = $4, resuming = 0, worker = $5, version = version + 1, updated = $6 \
     WHERE id = $1 AND attempt = $2 AND state = 'working'";

const REJOIN: &str = "UPDATE tool_task SET worker = $3 WHERE id = $1 AND attempt = $2 AND state = 'working'";

impl<'a> Claims<'a> {
    pub(super) fn new(core: &'a Core, worker: &'a Arc<str>) -> Self {
        Claims { core, worker, name: None, names: 0, may_have_more: false }
    }

    /// Returns `true` if the queue had as many tasks as were asked for.
    pub(super) fn may_have_more(&self) -> bool {
        self.may_have_more
    }

    /// Takes at most `limit` tasks.
    pub(super) async fn claim(&mut self, limit: usize) -> Stored<Vec<Claimed>> {
        self.may_have_more = false;
        let limit = limit.min(BATCH);
        if limit == 0 || !self.core.database.is_due().await? {
            return Ok(Vec::new());
        }
        let result = self.transaction(limit).await;
        if result.is_err() {
            self.name = None;
        }
        result
    }

    async fn transaction(&mut self, limit: usize) -> Stored<Vec<Claimed>> {
        let mut transaction = self.core.database.begin().await?;
        let name = match self.name.take() {
            Some(name) => name,
            None => {
                self.names += 1;
                let name = format!("{}-{}", self.worker, self.names);
                join(&mut *transaction, self.worker, self.core.options.heartbeat).await?;
                transaction.remove_names(Some(self.worker)).await?;
                transaction.register(&name).await?;
                name
            }
        };
        let mut ids = transaction.fetch(&name, limit).await?;
        ids.sort_unstable();
        let mut claimed = Vec::new();
        let mut ended = Vec::new();
        for id in &ids {
            let Some(record) = find(&mut *transaction, id).await? else { continue };
            let attempt = self.take(&mut *transaction, record, &mut ended).await?;
            claimed.extend(attempt);
        }
        let claims: Vec<_> = claimed.iter().map(|claimed| claimed.attempt.task.id).collect();
        self.core.running.begin_claims(claims.iter().copied());
        if let Err(error) = transaction.commit().await {
            tracing::warn!(%error, "it is not certain whether tasks were taken; looking again");
            claimed = self.confirm(claimed).await;
        } else {
            self.name = Some(name);
            self.may_have_more = ids.len() == limit;
        }
        for Claimed { attempt, running } in &claimed {
            self.core.running.insert(attempt.task.id, running.clone());
        }
        self.core.running.end_claims(claims.into_iter());
        ended.iter().chain(claimed.iter().map(|claimed| &claimed.attempt.task.id)).for_each(|id| {
            self.core.notify(id);
        });
        Ok(claimed)
    }

    /// Takes one task, whose entry was in the queue.
    async fn take(
        &self,
        transaction: &mut dyn Transaction,
        mut record: Record,
        ended: &mut Vec<tool_core::tasks::TaskId>,
    ) -> Stored<Option<Claimed>> {
        let id = record.id.to_string();
        if record.state != TaskState::Working || record.worker.is_some() || record.expires <= now() {
            return Ok(None);
        }
        if let Some(running) = self.core.running.get(&record.id) {
            // It still runs here: another process thought that this one had ended. Or it has just ended.
            if running.is_lost || running.has_ended || running.attempt != record.attempt {
                transaction.push(&id, Duration::from_secs(1)).await?;
            } else {
                transaction.execute(REJOIN, cells![id, record.attempt, &*running.worker]).await?;
            }
            return Ok(None);
        }
        if let Next::End(outcome) = next(&record) {
            ended.push(record.id);
            end(transaction, &record, &outcome).await?;
            return Ok(None);
        }
        let before = record.attempt;
        record.attempt += 1;
        record.begun += i64::from(!record.is_resuming);
        let values = cells![id, before, record.attempt, record.begun, &**self.worker, now()];
        if transaction.execute(BEGIN, values).await? == 0 {
            return Ok(None);
        }
        let running = Running {
            worker: Arc::clone(self.worker),
            attempt: record.attempt,
            is_resuming: record.is_resuming,
            token: CancellationToken::new(),
            progress: Arc::new(LastProgress::default()),
            is_lost: false,
            has_ended: false,
        };
        let mut attempt = record.attempt();
        attempt.cancellation = running.token.clone();
        attempt.progress = Some(Arc::clone(&running.progress) as _);
        Ok(Some(Claimed { attempt, running }))
    }

    /// Returns those attempts that were taken, though the commit failed.
    async fn confirm(&self, claimed: Vec<Claimed>) -> Vec<Claimed> {
        let mut confirmed = Vec::new();
        for one in claimed {
            loop {
                match self.confirm_one(&one).await {
                    Ok(true) => break confirmed.push(one),
                    Ok(false) => break,
                    Err(_) => sleep(BACK_OFF.0).await,
                }
            }
        }
        confirmed
    }

    /// Checks whether an attempt was taken, after a commit with an unknown outcome. The commit may not have arrived yet: to lock the
    /// row, whatever it says, waits for that.
    async fn confirm_one(&self, claimed: &Claimed) -> Stored<bool> {
        let mut transaction = self.core.database.begin().await?;
        let record = find(&mut *transaction, &claimed.attempt.task.id.to_string()).await?;
        Ok(record.is_some_and(|record| {
            record.state == TaskState::Working
                && record.attempt == claimed.running.attempt
                && record.worker.as_deref() == Some(&**self.worker)
        }))
    }
}
