//! Tasks in a database of PostgreSQL.

mod notifications;

use std::sync::Arc;
use std::time::Duration;

use apalis_core::task::builder::TaskBuilder;
use apalis_core::worker::context::WorkerContext;
use apalis_postgres::{Config, PostgresStorage, queries};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgRow, Postgres};
use tokio::sync::{OnceCell, mpsc};
use tool_core::BoxFuture;
use tool_core::tasks::TaskId;

use crate::changes::Changes;
use crate::database::{Cell, Database, DatabaseError, Row, Stored, Transaction, cells};
use crate::record::now;
use crate::schema::{QUEUE, due};
use crate::statements::statements;
use notifications::{Listener, announce};

statements!(Postgres, PgRow, "INT8");

impl From<apalis_postgres::Error> for DatabaseError {
    fn from(error: apalis_postgres::Error) -> Self {
        DatabaseError::Away(error.to_string())
    }
}

/// A database with the tasks.
#[derive(Clone, Debug)]
pub(crate) struct PostgresDatabase {
    url: Arc<str>,
    connected: Arc<OnceCell<Connected>>,
    listener: Arc<Listener>,
    is_for_heartbeat: bool,
}

#[derive(Debug)]
struct Connected {
    pool: PgPool,
    /// One connection, for which no request waits.
    heartbeat: PgPool,
    changed: mpsc::Sender<TaskId>,
}

impl PostgresDatabase {
    pub(crate) fn new(url: String) -> Self {
        PostgresDatabase {
            url: url.into(),
            connected: Arc::default(),
            listener: Arc::default(),
            is_for_heartbeat: false,
        }
    }

    async fn pool(&self) -> Stored<&PgPool> {
        let connect = || async {
            let (pool, heartbeat) = open(&self.url).await?;
            Ok::<_, DatabaseError>(Connected { changed: announce(pool.clone()), pool, heartbeat })
        };
        let connected = self.connected.get_or_try_init(connect).await?;
        Ok(if self.is_for_heartbeat { &connected.heartbeat } else { &connected.pool })
    }

    /// Connects, and creates the tables.
    pub(crate) async fn prepare(&self) -> Stored<()> {
        self.pool().await.map(|_| ())
    }
}

/// Returns the connections of the requests, and that of the heartbeat.
async fn open(url: &str) -> Stored<(PgPool, PgPool)> {
    // The text of the error could hold the password.
    let invalid = |_| DatabaseError::Unusable("the url of the database is invalid".to_owned());
    let options: PgConnectOptions = url.parse().map_err(invalid)?;
    let options = options.options([
        // A process that is stopped in the middle of a transaction would keep its locks.
        ("idle_in_transaction_session_timeout", "10s"),
        // Each statement has an index. Without this, the planner reads small tables as a whole, and keeps the plan while they
        // grow: the queue is empty most of the time, and then full of rows that are gone.
        ("enable_seqscan", "off"),
    ]);
    let heartbeat = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
    let pool = PgPoolOptions::new().max_connections(8).connect_lazy_with(options);
    migrate(&pool).await?;
    Ok((pool, heartbeat))
}

/// Creates or updates the tables. Other processes wait.
async fn migrate(pool: &PgPool) -> Stored<()> {
    let mut migrations = PostgresStorage::migrations();
    migrations.set_ignore_missing(true);
    let mut connection = pool.acquire().await?;
    migrations
        .run_direct(None, &mut *connection, false)
        .await
        .map_err(|error| DatabaseError::Away(error.to_string()))?;
    drop(connection);
    let mut transaction = pool.begin().await?;
    query("SELECT pg_advisory_xact_lock(7386223984516931)", Vec::new()).execute(&mut *transaction).await?;
    create_tables(&mut transaction).await?;
    Ok(transaction.commit().await?)
}

const IS_DUE: &str =
    "SELECT id FROM apalis.jobs WHERE job_type = $1 AND status = 'Pending' AND run_at < now() LIMIT 1";
// Not that of apalis, which takes a lock of the session that outlives the transaction.
const REGISTER: &str = "INSERT INTO apalis.workers (id, worker_type, storage_name, layers, last_seen) \
     VALUES ($1, $2, 'tool-tasks', 'tool-tasks', now()) ON CONFLICT (id) DO UPDATE SET last_seen = now()";
// With an equation, so that it looks workers up in their index.
const REMOVE_NAMES: &str = "DELETE FROM apalis.workers WHERE worker_type = $1 AND NOT EXISTS \
     (SELECT 1 FROM tool_task_worker WHERE tool_task_worker.id = regexp_replace(apalis.workers.id, '-[0-9]+$', ''))";
const REMOVE_NAMES_OF: &str = "DELETE FROM apalis.workers WHERE worker_type = $1 AND id LIKE $2 || '-%'";
const REMOVE: &str = "DELETE FROM apalis.jobs WHERE job_type = $1 AND idempotency_key = $2";
const REMOVE_FETCHED: &str = "DELETE FROM apalis.jobs WHERE job_type = $1 AND lock_by = $2";
const LOST: &str = "SELECT id FROM tool_task WHERE state = 'working' AND worker IS NULL AND expires > $3 AND NOT EXISTS \
     (SELECT 1 FROM apalis.jobs WHERE job_type = $1 AND idempotency_key = tool_task.id) LIMIT $2";

impl Database for PostgresDatabase {
    fn for_heartbeat(&self) -> Arc<dyn Database> {
        Arc::new(PostgresDatabase { is_for_heartbeat: true, ..self.clone() })
    }

    fn begin(&self) -> BoxFuture<'_, Stored<Box<dyn Transaction>>> {
        Box::pin(async {
            let transaction = self.pool().await?.begin().await?;
            Ok(Box::new(PostgresTransaction(transaction)) as Box<dyn Transaction>)
        })
    }

    fn rows(&self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'_, Stored<Vec<Row>>> {
        Box::pin(async move {
            let rows = query(sql, values).fetch_all(self.pool().await?).await?;
            rows.iter().map(read).collect()
        })
    }

    fn is_due(&self) -> BoxFuture<'_, Stored<bool>> {
        Box::pin(async move { Ok(!self.rows(IS_DUE, vec![Cell::from(QUEUE)]).await?.is_empty()) })
    }

    fn lost(&self, limit: i64) -> BoxFuture<'_, Stored<Vec<String>>> {
        let values = cells![QUEUE, limit, now()];
        Box::pin(
            async move { Ok(self.rows(LOST, values).await?.into_iter().map(|mut row| row.text()).collect()) },
        )
    }

    fn announce(&self, id: &TaskId) {
        if let Some(connected) = self.connected.get() {
            let _ = connected.changed.try_send(*id);
        }
    }

    fn listen(&self, changes: &Arc<Changes>) {
        self.listener.start(|| self.url.parse().ok(), changes);
    }

    fn is_listening(&self) -> bool {
        self.listener.is_listening()
    }
}

struct PostgresTransaction(sqlx::Transaction<'static, Postgres>);

impl Transaction for PostgresTransaction {
    fn execute<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<u64>> {
        Box::pin(async move { Ok(query(sql, values).execute(&mut *self.0).await?.rows_affected()) })
    }

    fn rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>> {
        Box::pin(async move {
            let rows = query(sql, values).fetch_all(&mut *self.0).await?;
            rows.iter().map(read).collect()
        })
    }

    fn lock_rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>> {
        Box::pin(async move {
            let sql = sqlx::AssertSqlSafe(format!("{sql} FOR UPDATE"));
            let rows = query(sql, values).fetch_all(&mut *self.0).await?;
            rows.iter().map(read).collect()
        })
    }

    fn register<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Stored<()>> {
        Box::pin(async move {
            self.execute(REGISTER, vec![Cell::from(name), Cell::from(QUEUE)]).await?;
            Ok(())
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
            Ok(queries::push_tasks(&mut *self.0, QUEUE, vec![entry]).await?)
        })
    }

    fn fetch<'a>(&'a mut self, worker: &'a str, limit: usize) -> BoxFuture<'a, Stored<Vec<String>>> {
        Box::pin(async move {
            let config = Config::default().queue(QUEUE).batch_size(limit);
            let entries = queries::fetch_next(&mut *self.0, &config, &WorkerContext::new(worker)).await?;
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
        Box::pin(async move { Ok(self.0.commit().await?) })
    }
}
