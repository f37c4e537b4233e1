//! The tables of the tasks. Their statements are the same in both databases.

use std::time::Duration;

use crate::record::now;

/// The version of the tables.
pub(crate) const VERSION: i64 = 1;

/// The name of the queue.
pub(crate) const QUEUE: &str = "tool_task";

/// How many seconds before now an entry that is due at once is dated. The clocks of workers may differ by as much.
const CLOCKS_DIFFER: u64 = 60 * 60;

/// Returns when an entry of the queue is due, in seconds since 1970.
pub(crate) fn due(delay: Duration) -> u64 {
    let seconds = u64::try_from(now() / 1_000).unwrap_or_default();
    if delay.is_zero() { seconds.saturating_sub(CLOCKS_DIFFER) } else { seconds + delay.as_secs() }
}

/// Creates the table of the version.
pub(crate) const CREATE_VERSION: &str =
    "CREATE TABLE IF NOT EXISTS tool_task_version (version BIGINT NOT NULL)";

/// Creates the other tables, if the database has no version.
pub(crate) const CREATE: [&str; 8] = [
    "CREATE TABLE tool_task (
        id TEXT NOT NULL PRIMARY KEY,
        owner TEXT NOT NULL,
        principal TEXT NOT NULL,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,
        arguments_digest TEXT NOT NULL,
        key TEXT,
        retries BIGINT NOT NULL,
        attempt_timeout_ms BIGINT,
        state TEXT NOT NULL,
        attempt BIGINT NOT NULL,
        begun BIGINT NOT NULL,
        resuming BIGINT NOT NULL,
        worker TEXT,
        cancel BIGINT NOT NULL,
        progress TEXT,
        questions TEXT,
        answers TEXT,
        outcome TEXT,
        version BIGINT NOT NULL,
        created BIGINT NOT NULL,
        updated BIGINT NOT NULL,
        expires BIGINT NOT NULL,
        poll_ms BIGINT NOT NULL,
        ttl_ms BIGINT NOT NULL,
        trace TEXT
    )",
    "CREATE UNIQUE INDEX tool_task_key ON tool_task (owner, tool, key) WHERE key IS NOT NULL",
    "CREATE INDEX tool_task_owner ON tool_task (owner, created DESC, id DESC)",
    "CREATE INDEX tool_task_open ON tool_task (owner) WHERE state IN ('working', 'input_required')",
    "CREATE INDEX tool_task_waiting ON tool_task (id) WHERE state = 'working' AND worker IS NULL",
    "CREATE INDEX tool_task_running ON tool_task (worker) WHERE worker IS NOT NULL",
    "CREATE INDEX tool_task_expires ON tool_task (expires)",
    // Each worker increments its `beat` while it runs tasks. Others compare it to an earlier one, never to a clock.
    "CREATE TABLE tool_task_worker (
        id TEXT NOT NULL PRIMARY KEY,
        beat BIGINT NOT NULL,
        heartbeat_ms BIGINT NOT NULL
    )",
];

/// Returns the version of the tables.
pub(crate) const FIND_VERSION: &str = "SELECT version FROM tool_task_version";

/// Stores the version of the tables.
pub(crate) const STORE_VERSION: &str = "INSERT INTO tool_task_version (version) VALUES ($1)";

/// Returns what is wrong with a database of another version.
pub(crate) fn other_version(version: i64) -> String {
    format!(
        "the tables of the tasks have version {version}, and this program has version {VERSION}: \
         use one version of the program, or another database"
    )
}
