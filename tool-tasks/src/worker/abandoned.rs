//! Releasing tasks that are this worker's, and that it does not run.

use std::collections::HashSet;
use std::time::Duration;

use crate::core::{Core, Next, end, find, next, release};
use crate::database::Stored;

/// The tasks that are this worker's, and that it does not run: those of the heartbeat before.
#[derive(Debug, Default)]
pub(super) struct Abandoned {
    seen: HashSet<(String, i64)>,
}

impl Abandoned {
    /// Forgets what it has seen.
    pub(super) fn clear(&mut self) {
        self.seen.clear();
    }

    /// Releases those of these tasks, with their attempts, that no attempt runs, now as in the heartbeat before.
    pub(super) async fn release<'a>(
        &mut self,
        core: &Core,
        worker: &str,
        own: impl Iterator<Item = (&'a str, i64)>,
    ) -> Stored<()> {
        let before = std::mem::take(&mut self.seen);
        for (id, attempt) in own {
            if is_running(core, id) {
                continue;
            }
            let task = (id.to_owned(), attempt);
            if before.contains(&task) {
                release_one(core, worker, id, attempt).await?;
            } else {
                self.seen.insert(task);
            }
        }
        Ok(())
    }
}

fn is_running(core: &Core, id: &str) -> bool {
    id.parse().is_ok_and(|id| core.running.contains(&id))
}

/// Releases a task as if its process had ended.
async fn release_one(core: &Core, worker: &str, id: &str, attempt: i64) -> Stored<()> {
    let mut transaction = core.heartbeat.begin().await?;
    let record = find(&mut *transaction, id).await?;
    let is_own = |record: &crate::record::Record| {
        record.worker.as_deref() == Some(worker) && record.attempt == attempt && !is_running(core, id)
    };
    let Some(record) = record.filter(is_own) else { return Ok(()) };
    match next(&record) {
        Next::End(outcome) => end(&mut *transaction, &record, &outcome).await?,
        Next::Begin => release(&mut *transaction, &record, Duration::ZERO).await?,
    }
    transaction.commit().await?;
    tracing::warn!(task = id, "a task of this worker does not run; it was released");
    core.notify(&record.id);
    core.notify_workers();
    Ok(())
}
