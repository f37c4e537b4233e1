//! The rows of workers, in `tool_task_worker` and in the table of the queue.

use std::collections::HashMap;
use std::time::Duration;

use crate::core::Core;
use crate::database::{Stored, Transaction, cells};
use crate::record::to_milliseconds;

/// After how many sweeps without a sign of a worker its rows are deleted.
const MISSED: i64 = 3;

const JOIN: &str = "INSERT INTO tool_task_worker (id, beat, heartbeat_ms) VALUES ($1, 1, $2) \
     ON CONFLICT (id) DO UPDATE SET beat = tool_task_worker.beat + 1";
const BEAT: &str = "UPDATE tool_task_worker SET beat = beat + 1 WHERE id = $1";
const LEAVE: &str = "DELETE FROM tool_task_worker WHERE id = $1";
const IDLE: &str = "SELECT id, beat, heartbeat_ms FROM tool_task_worker WHERE id <> $1 AND NOT EXISTS \
     (SELECT 1 FROM tool_task WHERE worker = tool_task_worker.id)";
const DELETE: &str = "DELETE FROM tool_task_worker WHERE id = $1 AND beat = $2";

/// Returns how often a worker does something, while another one with this heartbeat, in milliseconds, does it `times`.
pub(super) fn lease(times: i64, heartbeat: i64, own: Duration) -> i64 {
    let own = to_milliseconds(own).max(1);
    (times.saturating_mul(heartbeat).saturating_add(own - 1) / own).max(times)
}

/// Increments the beat of a worker, which has a row afterwards.
pub(super) async fn join(transaction: &mut dyn Transaction, worker: &str, heartbeat: Duration) -> Stored<()> {
    transaction.execute(JOIN, cells![worker, to_milliseconds(heartbeat)]).await?;
    Ok(())
}

/// Removes the rows of a worker that has ended or is dead.
pub(super) async fn leave(transaction: &mut dyn Transaction, worker: &str) -> Stored<()> {
    transaction.execute(LEAVE, cells![worker]).await?;
    transaction.remove_names(Some(worker)).await
}

/// Finds the workers without tasks that are gone. One that lives increments its beat at each of its sweeps, and with a name in the
/// queue it has a row. What counts is how often this worker has swept in the meantime, and no clock.
#[derive(Debug, Default)]
pub(super) struct WorkerRows {
    seen: HashMap<String, (i64, i64)>,
}

impl WorkerRows {
    /// Shows that this worker lives, and deletes the rows of those that are gone.
    pub(super) async fn sweep(&mut self, core: &Core, worker: &str) -> Stored<()> {
        let mut transaction = core.database.begin().await?;
        transaction.execute(BEAT, cells![worker]).await?;
        let rows = transaction.rows(IDLE, cells![worker]).await?;
        let before = std::mem::take(&mut self.seen);
        for mut row in rows {
            let (id, beat, heartbeat) = (row.text(), row.int(), row.int());
            let missed =
                before.get(&id).filter(|(seen, _)| *seen == beat).map_or(0, |(_, missed)| missed + 1);
            if missed >= lease(MISSED, heartbeat, core.options.heartbeat) {
                transaction.execute(DELETE, cells![id.as_str(), beat]).await?;
            }
            self.seen.insert(id, (beat, missed));
        }
        transaction.remove_names(None).await?;
        transaction.commit().await
    }
}
