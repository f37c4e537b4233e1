//! Showing that a worker is alive, and looking whether its tasks are still its own.

use std::collections::HashMap;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tool_core::tasks::TaskId;

use crate::core::{Core, store_progress};
use crate::database::{BACK_OFF, Stored, cells};
use crate::record::now;
use crate::running::Running;
use crate::worker::abandoned::Abandoned;
use crate::worker::rows::join;
use crate::worker::watch::{Watch, foreign};

const RUNNING: &str = "SELECT id, attempt, cancel, expires FROM tool_task WHERE worker = $1";

/// Beats until `stop` while this worker runs tasks, or others do.
pub(super) async fn run(core: &Core, worker: &str, stop: CancellationToken) {
    let mut watch = Watch::default();
    let mut abandoned = Abandoned::default();
    let mut failed = 0_u32;
    let mut next = Instant::now();
    loop {
        let result = tokio::select! {
            result = tick(core, worker, &mut watch, &mut abandoned) => result,
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

async fn tick(core: &Core, worker: &str, watch: &mut Watch, abandoned: &mut Abandoned) -> Stored<()> {
    let running = core.running.of(worker);
    let foreign = foreign(core, worker).await?;
    watch.compare(core, foreign).await?;
    let own = own(core, worker).await?;
    if running.is_empty() && own.is_empty() && watch.is_empty() {
        abandoned.clear();
        return Ok(());
    }
    beat(core, worker, &running).await?;
    watch.beaten();
    check(core, &running, &own);
    abandoned.release(core, worker, own.iter().map(|(id, row)| (id.as_str(), row.attempt))).await
}

/// A task that is this worker's.
struct Own {
    attempt: i64,
    is_canceled: bool,
    expires: i64,
}

/// Returns the tasks that are this worker's, by their ids.
async fn own(core: &Core, worker: &str) -> Stored<HashMap<String, Own>> {
    let rows = core.heartbeat.rows(RUNNING, cells![worker]).await?;
    let read = |mut row: crate::database::Row| {
        (row.text(), Own { attempt: row.int(), is_canceled: row.int() != 0, expires: row.int() })
    };
    Ok(rows.into_iter().map(read).collect())
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
fn check(core: &Core, running: &[(TaskId, Running)], own: &HashMap<String, Own>) {
    for (id, running) in running {
        match own.get(&id.to_string()) {
            Some(row) if row.attempt == running.attempt => {
                if row.is_canceled || row.expires <= now() {
                    running.token.cancel();
                }
            }
            _ => core.running.lose(id, running.attempt),
        }
    }
}
