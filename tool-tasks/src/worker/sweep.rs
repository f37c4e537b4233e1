//! Deleting expired tasks, and finding lost ones.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::core::{Core, find, release};
use crate::database::{Stored, cells};
use crate::record::now;

/// How often a worker sweeps.
const INTERVAL: Duration = Duration::from_secs(60);

/// How long a task is kept after it expired, in milliseconds: the clocks of processes differ.
const GRACE: i64 = 60 * 60 * 1_000;

/// How many tasks are deleted in one transaction at most.
const BATCH: i64 = 500;

const DELETE: &str = "DELETE FROM tool_task WHERE id IN \
     (SELECT id FROM tool_task WHERE expires <= $1 AND worker IS NULL ORDER BY expires LIMIT $2)";

/// Sweeps until `stop`.
pub(super) async fn run(core: &Core, stop: CancellationToken) {
    loop {
        if let Err(error) = sweep(core).await {
            tracing::debug!(%error, "the tasks cannot be swept; trying again");
        }
        tokio::select! { () = tokio::time::sleep(INTERVAL) => {}, () = stop.cancelled() => return }
    }
}

async fn sweep(core: &Core) -> Stored<()> {
    loop {
        let mut transaction = core.database.begin().await?;
        let deleted = transaction.execute(DELETE, cells![now() - GRACE, BATCH]).await?;
        transaction.commit().await?;
        if i64::try_from(deleted).is_ok_and(|deleted| deleted < BATCH) {
            break;
        }
    }
    for id in core.database.lost(BATCH).await? {
        let mut transaction = core.database.begin().await?;
        if let Some(record) = find(&mut *transaction, &id).await?.filter(|record| record.worker.is_none()) {
            tracing::warn!(task = id, "a task was not in the queue");
            release(&mut *transaction, &record, Duration::ZERO).await?;
            transaction.commit().await?;
        }
    }
    Ok(())
}
