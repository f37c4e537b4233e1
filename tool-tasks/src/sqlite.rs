//! Tasks in a file of SQLite.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use apalis_sqlite::{Config, SqliteStorage, queries};
use sqlx::sqlite::{
    Sqlite, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep};
use tool_core::BoxFuture;

use crate::database::{Cell, Database, DatabaseError, Row, Stored, Transaction, cells};
use crate::record::now;
use crate::schema::{QUEUE, due};
use crate::statements::statements;

statements!(Sqlite, SqliteRow, "INTEGER");

/// How long a statement waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(15);

/// How often a heartbeat tries to write while others do. `SQLite` itself would try ten times a second, and hardly ever find the file
/// unlocked between the transactions of a process that writes all the time.
const BUSY_POLL: Duration = Duration::from_millis(2);

impl From<apalis_sqlite::Error> for DatabaseError {
    fn from(error: apalis_sqlite::Error) -> Self {
        DatabaseError::Away(error.to_string())
    }
}

/// A file with the tasks.
#[derive(Clone, Debug)]
pub(crate) struct SqliteDatabase {
    path: PathBuf,
    pools: Arc<OnceCell<Pools>>,
    is_for_heartbeat: bool,
}

#[derive(Debug)]
struct Pools {
    /// Those who write in this process wait for each other here, in their order.
    write: Writer,
    /// No request waits for this one.
    heartbeat: Writer,
    read: SqlitePool,
}

/// One connection that writes.
#[derive(Debug)]
struct Writer {
    pool: SqlitePool,
    /// Whether something failed on it. Then it is closed: after a full disk, `SQLite` has rolled back by itself, and its connection may
    /// refuse everything from then on, and so does sqlx, which counts the transaction as open.
    has_failed: Arc<AtomicBool>,
}

impl Writer {
    fn open(options: SqliteConnectOptions) -> Self {
        let has_failed = Arc::new(AtomicBool::new(false));
        let failed = Arc::clone(&has_failed);
        let pool = pool(1).after_release(move |_, _| {
            let is_sound = !failed.swap(false, Ordering::AcqRel);
            Box::pin(async move { Ok(is_sound) })
        });
        Writer { pool: pool.connect_lazy_with(options), has_failed }
    }
}

impl SqliteDatabase {
    pub(crate) fn new(path: PathBuf) -> Self {
        SqliteDatabase { path, pools: Arc::default(), is_for_heartbeat: false }
    }

    async fn pools(&self) -> Stored<&Pools> {
        self.pools.get_or_try_init(|| open(&self.path)).await
    }

    /// Opens the file, and creates its tables.
    pub(crate) async fn prepare(&self) -> Stored<()> {
        self.pools().await.map(|_| ())
    }
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(BUSY_TIMEOUT * 2)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

async fn open(path: &Path) -> Stored<Pools> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder).map_err(|error| {
            let message = format!("the folder {} cannot be created: {error}", folder.display());
            not_opened(&error, message)
        })?;
    }
    create_file(path).map_err(|error| {
        not_opened(&error, format!("the file {} cannot be used: {error}", path.display()))
    })?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        // Where the only folder that can be written is that of the file, temporary files fail as errors of the disk.
        .pragma("temp_store", "memory")
        .busy_timeout(BUSY_TIMEOUT);
    let pools = Pools {
        write: Writer::open(options.clone()),
        heartbeat: Writer::open(options.clone().busy_timeout(Duration::ZERO)),
        read: pool(4).connect_lazy_with(options),
    };
    let started = Instant::now();
    loop {
        match migrate(&pools.write.pool).await {
            // Changing to the write-ahead log does not wait for other processes that do the same.
            Err(DatabaseError::Away(error))
                if error.contains("locked") && started.elapsed() < BUSY_TIMEOUT =>
            {
                sleep(Duration::from_millis(20)).await;
            }
            result => break result.map(|()| pools),
        }
    }
}

/// Returns the error of a file or folder: whether it may pass, such as a full disk, or stays.
fn not_opened(error: &std::io::Error, message: String) -> DatabaseError {
    use std::io::ErrorKind::{AlreadyExists, IsADirectory, NotADirectory, PermissionDenied};
    match error.kind() {
        AlreadyExists | IsADirectory | NotADirectory | PermissionDenied => DatabaseError::Unusable(message),
        _ => DatabaseError::Away(message),
    }
}

/// Creates the folder, which only this user can read if it is new.
fn create_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates the file, which only this user can read, unless it exists. `SQLite` gives its permissions to the files beside it.
///
/// # Errors
///
/// Also when there is one that every user may read or change: tasks have the arguments of their callers, and run as them.
fn create_file(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(found) => return check_private(&found),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = std::fs::OpenOptions::new();
    // Not `create_new`, which fails for a symbolic link to a file that does not exist.
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

#[cfg(unix)]
fn check_private(found: &std::fs::Metadata) -> std::io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
    if mode & 0o007 == 0 {
        return Ok(());
    }
    let message = format!("all users have access to it (mode {mode:o}): run `chmod o-rwx` on it");
    Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, message))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn check_private(_: &std::fs::Metadata) -> std::io::Result<()> {
    Ok(())
}

/// Creates or updates the tables. Other processes wait.
async fn migrate(pool: &SqlitePool) -> Stored<()> {
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let mut migrations = SqliteStorage::migrations();
    migrations.set_ignore_missing(true);
    migrations
        .run_direct(None, &mut *transaction, false)
        .await
        .map_err(|error| DatabaseError::Away(error.to_string()))?;
    create_tables(&mut transaction).await?;
    Ok(transaction.commit().await?)
}

const IS_DUE: &str = "SELECT 1 FROM Jobs WHERE job_type = $1 AND status = 'Pending' AND lock_by IS NULL AND priority = 0 \
     AND run_at <= $2 LIMIT 1";
const REMOVE_NAMES: &str = "DELETE FROM Workers WHERE worker_type = $1 AND NOT EXISTS \
     (SELECT 1 FROM tool_task_worker WHERE Workers.id LIKE tool_task_worker.id || '-%')";
const REMOVE_NAMES_OF: &str = "DELETE FROM Workers WHERE worker_type = $1 AND id LIKE $2 || '-%'";
const REMOVE: &str = "DELETE FROM Jobs WHERE job_type = $1 AND idempotency_key = $2";
const REMOVE_FETCHED: &str = "DELETE FROM Jobs WHERE job_type = $1 AND lock_by = $2";
const LOST: &str = "SELECT id FROM tool_task WHERE state = 'working' AND worker IS NULL AND expires > $3 AND NOT EXISTS \
     (SELECT 1 FROM Jobs WHERE job_type = $1 AND idempotency_key = tool_task.id) LIMIT $2";

impl Database for SqliteDatabase {
    fn for_heartbeat(&self) -> Arc<dyn Database> {
        Arc::new(SqliteDatabase { is_for_heartbeat: true, ..self.clone() })
    }

    fn begin(&self) -> BoxFuture<'_, Stored<Box<dyn Transaction>>> {
        Box::pin(async {
            let pools = self.pools().await?;
            let writer = if self.is_for_heartbeat { &pools.heartbeat } else { &pools.write };
            let begin = || writer.pool.begin_with("BEGIN IMMEDIATE");
            let begun = if self.is_for_heartbeat { until_unlocked(begin).await } else { begin().await };
            let transaction = noted(begun, &writer.has_failed)?;
            let has_failed = Arc::clone(&writer.has_failed);
            Ok(Box::new(SqliteTransaction { transaction, has_failed }) as Box<dyn Transaction>)
        })
    }

    fn rows(&self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'_, Stored<Vec<Row>>> {
        Box::pin(async move {
            let pools = self.pools().await?;
            let rows = if self.is_for_heartbeat {
                until_unlocked(|| query(sql, values.clone()).fetch_all(&pools.heartbeat.pool)).await?
            } else {
                query(sql, values).fetch_all(&pools.read).await?
            };
            rows.iter().map(read).collect()
        })
    }

    fn is_due(&self) -> BoxFuture<'_, Stored<bool>> {
        let values = vec![Cell::from(QUEUE), Cell::from(now() / 1_000)];
        Box::pin(async move { Ok(!self.rows(IS_DUE, values).await?.is_empty()) })
    }

    fn lost(&self, limit: i64) -> BoxFuture<'_, Stored<Vec<String>>> {
        let values = cells![QUEUE, limit, now()];
        Box::pin(
            async move { Ok(self.rows(LOST, values).await?.into_iter().map(|mut row| row.text()).collect()) },
        )
    }
}

/// Tries until no other process or connection writes.
async fn until_unlocked<T, R>(operation: impl Fn() -> R) -> Result<T, sqlx::Error>
where
    R: Future<Output = Result<T, sqlx::Error>>,
{
    let until = Instant::now() + BUSY_TIMEOUT;
    loop {
        match operation().await {
            Err(error) if is_busy(&error) && Instant::now() < until => sleep(BUSY_POLL).await,
            result => break result,
        }
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    // The primary code is in the last byte of the extended one: `SQLITE_BUSY`.
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}

struct SqliteTransaction {
    transaction: sqlx::Transaction<'static, Sqlite>,
    has_failed: Arc<AtomicBool>,
}

/// Notes that the connection failed, if it did.
fn noted<T, E>(result: Result<T, E>, has_failed: &AtomicBool) -> Result<T, E> {
    if result.is_err() {
        has_failed.store(true, Ordering::Release);
    }
    result
}

impl Transaction for SqliteTransaction {
    fn execute<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<u64>> {
        Box::pin(async move {
            let result = query(sql, values).execute(&mut *self.transaction).await;
            Ok(noted(result, &self.has_failed)?.rows_affected())
        })
    }

    fn rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>> {
        Box::pin(async move {
            let rows = query(sql, values).fetch_all(&mut *self.transaction).await;
            let rows = noted(rows, &self.has_failed)?;
            rows.iter().map(read).collect()
        })
    }

    fn lock_rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>> {
        self.rows(sql, values)
    }

    fn register<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Stored<()>> {
        Box::pin(async move {
            let config = Config::default().queue(QUEUE);
            let worker = WorkerContext::new(name);
            let result =
                queries::register_worker(&mut *self.transaction, &config, &worker, "tool-tasks").await;
            Ok(noted(result, &self.has_failed)?)
        })
    }

    fn remove_names<'a>(&'a mut self, worker: Option<&'a str>) -> BoxFuture<'a, Stored<()>> {
        Box::pin(async move {
            match worker {
                Some(worker) => self.execute(REMOVE_NAMES_OF, cells![QUEUE, worker]).await?,
                None => self.execute(REMOVE_NAMES, cells![QUEUE]).await?,
            };
            Ok(())
        })
    }

    fn push<'a>(&'a mut self, id: &'a str, delay: Duration) -> BoxFuture<'a, Stored<()>> {
        Box::pin(async move {
            let entry = TaskBuilder::new(id.as_bytes().to_vec())
                .idempotency_key(id)
                .run_at_timestamp(due(delay))
                .build();
            let result = queries::push_tasks(&mut *self.transaction, QUEUE, &[entry]).await;
            Ok(noted(result, &self.has_failed)?)
        })
    }

    fn fetch<'a>(&'a mut self, worker: &'a str, limit: usize) -> BoxFuture<'a, Stored<Vec<String>>> {
        Box::pin(async move {
            let config = Config::default().queue(QUEUE).batch_size(limit);
            let context = WorkerContext::new(worker);
            let entries = queries::fetch_next(&mut *self.transaction, &config, &context).await;
            let entries = noted(entries, &self.has_failed)?;
            if !entries.is_empty() {
                self.execute(REMOVE_FETCHED, cells![QUEUE, worker]).await?;
            }
            Ok(entries.into_iter().map(|entry| String::from_utf8_lossy(&entry.args).into_owned()).collect())
        })
    }

    fn remove<'a>(&'a mut self, id: &'a str) -> BoxFuture<'a, Stored<()>> {
        Box::pin(async move {
            self.execute(REMOVE, vec![Cell::from(QUEUE), Cell::from(id)]).await?;
            Ok(())
        })
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Stored<()>> {
        let SqliteTransaction { transaction, has_failed } = *self;
        Box::pin(async move {
            // Before the commit: after it, the connection is back in the pool at once.
            has_failed.store(true, Ordering::Release);
            transaction.commit().await?;
            has_failed.store(false, Ordering::Release);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn keeps_temporary_files_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let pools = open(&folder.path().join("tasks.db")).await.unwrap();
        for pool in [&pools.write.pool, &pools.heartbeat.pool, &pools.read] {
            let place: i64 = sqlx::query_scalar("PRAGMA temp_store").fetch_one(pool).await.unwrap();
            assert_eq!(place, 2, "2 is memory");
        }
    }
}
