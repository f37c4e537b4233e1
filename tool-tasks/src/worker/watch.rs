//! Looking whether the workers of other processes are alive, and taking the tasks of those that are not.

use std::collections::HashMap;
use std::time::Duration;

use crate::core::{Core, Next, end, find, next, release};
use crate::database::{Stored, cells};
use crate::worker::rows::{lease, leave};

/// How many heartbeats of a worker do not come before its tasks are taken: so many of its own has the other worker written.
const MISSED: i64 = 3;

/// How many tasks are taken in one transaction at most.
const BATCH: i64 = 200;

/// Begins a heartbeat: finds the other workers that have tasks.
pub(crate) const FOREIGN: &str = "SELECT others.worker, tool_task_worker.beat, tool_task_worker.heartbeat_ms FROM \
     (SELECT DISTINCT worker FROM tool_task WHERE worker IS NOT NULL AND worker <> $1) AS others \
     LEFT JOIN tool_task_worker ON tool_task_worker.id = others.worker";
const FIND_BEAT: &str = "SELECT beat FROM tool_task_worker WHERE id = $1";
const TASKS: &str = "SELECT id FROM tool_task WHERE worker = $1 ORDER BY id LIMIT $2";

/// Another worker that has tasks.
#[derive(Debug)]
pub(super) struct Foreign {
    worker: String,
    beat: Option<i64>,
    heartbeat: Option<i64>,
}

/// Returns the other workers that have tasks.
pub(super) async fn foreign(core: &Core, worker: &str) -> Stored<Vec<Foreign>> {
    let rows = core.heartbeat.rows(FOREIGN, cells![worker]).await?;
    let read = |mut row: crate::database::Row| Foreign {
        worker: row.text(),
        beat: row.int_or_null(),
        heartbeat: row.int_or_null(),
    };
    Ok(rows.into_iter().map(read).collect())
}

/// Compares the beats of other workers. No clock is compared: what counts is how often this worker could write in the meantime,
/// so that no worker seems dead because the database was locked or away.
#[derive(Debug, Default)]
pub(super) struct Watch {
    seen: HashMap<String, Seen>,
    has_beaten: bool,
}

#[derive(Debug)]
struct Seen {
    beat: Option<i64>,
    missed: i64,
}

impl Watch {
    /// Returns `true` if no other worker has tasks.
    pub(super) fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Counts a heartbeat of this worker.
    pub(super) fn beaten(&mut self) {
        self.has_beaten = true;
    }

    /// Compares the beats of the others to those before, and takes the tasks of workers that are dead.
    pub(super) async fn compare(&mut self, core: &Core, foreign: Vec<Foreign>) -> Stored<()> {
        let step = i64::from(std::mem::take(&mut self.has_beaten));
        let before = std::mem::take(&mut self.seen);
        let mut dead = Vec::new();
        for Foreign { worker, beat, heartbeat } in foreign {
            let missed = match before.get(&worker) {
                Some(seen) if seen.beat == beat => seen.missed + step,
                _ => 0,
            };
            if missed >= lease(MISSED, heartbeat.unwrap_or_default(), core.options.heartbeat) {
                dead.push((worker.clone(), beat));
            }
            self.seen.insert(worker, Seen { beat, missed });
        }
        for (worker, beat) in dead {
            if take_over(core, &worker, beat).await? {
                self.seen.remove(&worker);
            }
        }
        Ok(())
    }
}

/// Takes the tasks of a worker whose beat is still the same. Returns `false` if it is not, or if there are more tasks.
async fn take_over(core: &Core, worker: &str, beat: Option<i64>) -> Stored<bool> {
    let mut transaction = core.heartbeat.begin().await?;
    let found = transaction.lock_rows(FIND_BEAT, cells![worker]).await?;
    if found.into_iter().next().and_then(|mut row| row.int_or_null()) != beat {
        return Ok(false);
    }
    let tasks = transaction.rows(TASKS, cells![worker, BATCH]).await?;
    let is_last = i64::try_from(tasks.len()).is_ok_and(|tasks| tasks < BATCH);
    let mut ended = Vec::new();
    for mut row in tasks {
        let record = find(&mut *transaction, &row.text()).await?;
        let Some(record) = record.filter(|record| record.worker.as_deref() == Some(worker)) else { continue };
        ended.push(record.id);
        match next(&record) {
            Next::End(outcome) => end(&mut *transaction, &record, &outcome).await?,
            Next::Begin => release(&mut *transaction, &record, Duration::ZERO).await?,
        }
    }
    if is_last {
        leave(&mut *transaction, worker).await?;
    }
    transaction.commit().await?;
    tracing::warn!(worker, tasks = ended.len(), "a worker does not answer; its tasks were taken");
    for id in &ended {
        core.notify(id);
    }
    core.notify_workers();
    Ok(is_last)
}
