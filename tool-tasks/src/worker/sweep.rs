//! Deleting expired tasks and the rows of workers that are gone, and finding lost tasks.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::core::{Core, find, release};
use crate::database::{Stored, cells};
use crate::record::now;
use crate::worker::rows::WorkerRows;

/// How often a worker sweeps, in heartbeats: once a minute by default.
const INTERVAL: u32 = 120;

/// How long a task is kept after it expired, in milliseconds: the clocks of processes differ.
const GRACE: i64 = 60 * 60 * 1_000;

/// How many tasks are deleted in one transaction at most.
const BATCH: i64 = 500;

const DELETE: &str = "DELETE FROM tool_task WHERE id IN \
     (SELECT id FROM tool_task WHERE expires <= $1 AND worker IS NULL ORDER BY expires LIMIT $2)";

/// Sweeps until `stop`.
pub(super) async fn run(core: &Core, worker: &str, stop: CancellationToken) {
    let mut rows = WorkerRows::default();
    let sweep = async {
        loop {
            for result in [sweep(core).await, rows.sweep(core, worker).await] {
                if let Err(error) = result {
                    tracing::debug!(%error, "the tables cannot be swept; trying again");
                }
            }
            tokio::time::sleep(core.options.heartbeat * INTERVAL).await;
        }
    };
    tokio::select! { () = sweep => {}, () = stop.cancelled() => {} }
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
