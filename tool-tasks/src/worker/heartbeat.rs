//! Showing that a worker is alive, and looking whether its tasks are still its own.

use std::collections::HashMap;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tool_core::tasks::TaskId;

use crate::core::{Core, store_progress};
use crate::database::{BACK_OFF, Stored, cells};
use crate::record::now;
use crate::running::Running;
use crate::worker::roster::join;
use crate::worker::watch::{Watch, foreign};

const RUNNING: &str = "SELECT id, attempt, cancel, expires FROM tool_task WHERE worker = $1";

/// Beats until `stop` while this worker runs tasks, or others do.
pub(super) async fn run(core: &Core, worker: &str, stop: CancellationToken) {
    let mut watch = Watch::default();
    let mut failed = 0_u32;
    let mut next = Instant::now();
    loop {
        let result = tokio::select! {
            result = tick(core, worker, &mut watch) => result,
            () = stop.cancelled() => return,
        };
        match result {
            Ok(()) => {
                failed = 0;
                next += core.options.heartbeat;
                // After a long one, the others may not have had their turn yet.
                if next < Instant::now() {
                    next = Instant::now() + core.options.heartbeat;
                }
            }
            Err(error) => {
                if failed == 0 {
                    tracing::warn!(%error, "a worker cannot show that it is alive; trying again");
                }
                failed += 1;
                next = Instant::now() + BACK_OFF.0;
            }
        }
        tokio::select! { () = sleep_until(next) => {}, () = stop.cancelled() => return }
    }
}

async fn tick(core: &Core, worker: &str, watch: &mut Watch) -> Stored<()> {
    let running = core.running.of(worker);
    let foreign = foreign(core, worker).await?;
    watch.compare(core, foreign).await?;
    if running.is_empty() && watch.is_empty() {
        return Ok(());
    }
    beat(core, worker, &running).await?;
    watch.beaten();
    if running.is_empty() { Ok(()) } else { check(core, worker, &running).await }
}

/// Increments the beat of this worker, and stores the progress of its attempts.
async fn beat(core: &Core, worker: &str, running: &[(TaskId, Running)]) -> Stored<()> {
    let mut transaction = core.heartbeat.begin().await?;
    join(&mut *transaction, worker, core.options.heartbeat).await?;
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
            Ok(()) => core.notify(id),
            Err(_) => running.progress.put_back(progress),
        }
    }
    result
}

/// Cancels attempts whose task is canceled, expired, deleted or another worker's.
async fn check(core: &Core, worker: &str, running: &[(TaskId, Running)]) -> Stored<()> {
    let rows = core.heartbeat.rows(RUNNING, cells![worker]).await?;
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
