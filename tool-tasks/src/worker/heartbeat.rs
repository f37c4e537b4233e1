//! Showing that a worker is alive, and looking whether its tasks are still its own.

use std::collections::HashMap;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tool_core::tasks::TaskId;

use crate::core::{Core, store_progress};
use crate::database::{BACK_OFF, Stored, cells};
use crate::record::{now, to_milliseconds};
use crate::running::Running;
use crate::worker::watch::{Watch, foreign};

const BEAT: &str = "UPDATE tool_task_worker SET beat = beat + 1 WHERE id = $1";
const JOIN: &str = "INSERT INTO tool_task_worker (id, beat, heartbeat_ms) VALUES ($1, 1, $2)";
const LEAVE: &str = "DELETE FROM tool_task_worker WHERE id = $1";
const RUNNING: &str = "SELECT id, attempt, cancel, expires FROM tool_task WHERE worker = $1";

/// Beats until `stop` while this worker runs tasks, or others do.
pub(super) async fn run(core: &Core, worker: &str, stop: CancellationToken) {
    let mut watch = Watch::default();
    let mut failed = 0_u32;
    let mut next = Instant::now();
    while !stop.is_cancelled() {
        match tick(core, worker, &mut watch).await {
            Ok(()) => {
                failed = 0;
                next = (next + core.options.heartbeat).max(Instant::now());
            }
            Err(error) => {
                if failed == 0 {
                    tracing::warn!(%error, "a worker cannot show that it is alive; trying again");
                }
                failed += 1;
                next = Instant::now() + BACK_OFF.0;
            }
        }
        tokio::select! { () = sleep_until(next) => {}, () = stop.cancelled() => {} }
    }
}

async fn tick(core: &Core, worker: &str, watch: &mut Watch) -> Stored<()> {
    let running = core.running.of(worker);
    let foreign = foreign(core, worker).await?;
    if running.is_empty() && foreign.is_empty() {
        watch.clear();
        return Ok(());
    }
    beat(core, worker, &running).await?;
    if !running.is_empty() {
        check(core, worker, &running).await?;
    }
    watch.tick(core, foreign).await
}

/// Increments the beat of this worker, and stores the progress of its attempts.
async fn beat(core: &Core, worker: &str, running: &[(TaskId, Running)]) -> Stored<()> {
    let mut transaction = core.database.begin().await?;
    if transaction.execute(BEAT, cells![worker]).await? == 0 {
        transaction.execute(JOIN, cells![worker, to_milliseconds(core.options.heartbeat)]).await?;
    }
    let mut taken = Vec::new();
    let mut result = Ok(());
    for (id, running) in running {
        let Some(progress) = running.progress.take() else { continue };
        result = store_progress(&mut *transaction, id, running.attempt, &progress).await;
        taken.push((id, running, progress));
        if result.is_err() {
            break;
        }
    }
    if result.is_ok() {
        result = transaction.commit().await;
    }
    for (id, running, progress) in taken {
        match &result {
            Ok(()) => core.changes.notify(id),
            Err(_) => running.progress.put_back(progress),
        }
    }
    result
}

/// Cancels attempts whose task is canceled, expired, deleted or another worker's.
async fn check(core: &Core, worker: &str, running: &[(TaskId, Running)]) -> Stored<()> {
    let rows = core.database.rows(RUNNING, cells![worker]).await?;
    let own = |mut row: crate::database::Row| (row.text(), (row.int(), row.int() != 0, row.int()));
    let own: HashMap<String, (i64, bool, i64)> = rows.into_iter().map(own).collect();
    for (id, running) in running {
        match own.get(&id.to_string()) {
            Some((attempt, is_canceled, expires)) if *attempt == running.attempt => {
                if *is_canceled || *expires <= now() {
                    running.token.cancel();
                }
            }
            _ => core.running.lose(id, running.attempt),
        }
    }
    Ok(())
}

/// Removes the row of a worker that has ended.
pub(super) async fn leave(core: &Core, worker: &str) {
    let result = async {
        let mut transaction = core.database.begin().await?;
        transaction.execute(LEAVE, cells![worker]).await?;
        transaction.commit().await
    };
    if let Err(error) = result.await {
        tracing::debug!(%error, "a worker that has ended cannot be removed");
    }
}
