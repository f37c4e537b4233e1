//! The connections to PostgreSQL.

use std::fmt;
use std::time::Duration;

use sqlx::Postgres;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::query::Query;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// How long the database may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the database may take for anything, with a connection to it.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);

/// The key of the lock that a replica holds while it creates tables.
const TABLES_LOCK: i64 = 7_386_223_984_516_932;

/// A text that is not the URL of a database of PostgreSQL. The text is not shown, since it may have a password.
///
/// ```
/// let error = tool_replicas::PostgresSessions::at("mysql://:secret@database", "tools").unwrap_err();
/// assert!(!error.to_string().contains("secret"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the URL of the database is invalid: expected `postgres://user:password@host:port/database`")]
pub struct InvalidDatabaseUrl;

/// An error of the database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error(transparent)]
    Failed(#[from] sqlx::Error),
    #[error("the database does not answer within {STATEMENT_TIMEOUT:?}")]
    TimedOut,
    #[error("the statement was aborted")]
    Aborted,
}

/// Parses a URL of PostgreSQL.
pub(crate) fn options(url: &str) -> Result<PgConnectOptions, InvalidDatabaseUrl> {
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(InvalidDatabaseUrl);
    }
    // The text of its error could hold the password.
    let options: PgConnectOptions = url.parse().map_err(|_| InvalidDatabaseUrl)?;
    // A process that is stopped in the middle of a transaction would keep its locks.
    Ok(options.options([("idle_in_transaction_session_timeout", "10s")]))
}

/// A table that is created if it does not exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The statements that create it, unless it exists.
    pub(crate) create: &'static str,
}

/// A database. It is connected at its first use.
pub(crate) struct Database {
    options: PgConnectOptions,
    table: Option<Table>,
    most_connections: u32,
    pool: OnceCell<PgPool>,
}

impl Database {
    pub(crate) fn new(options: PgConnectOptions, most_connections: u32, table: Option<Table>) -> Self {
        Database { options, table, most_connections, pool: OnceCell::new() }
    }

    /// Runs a statement, for a limited time. It is not canceled when this future is dropped: a connection that is dropped in the
    /// middle of a statement stays in use until the database has answered.
    ///
    /// # Errors
    ///
    /// When the database fails, or does not answer in time.
    pub(crate) async fn run(
        &self,
        statement: Query<'static, Postgres, PgArguments>,
    ) -> Result<Vec<PgRow>, DatabaseError> {
        let opening = timeout(STATEMENT_TIMEOUT, self.pool.get_or_try_init(|| self.open()));
        let pool = opening.await.map_err(|_| DatabaseError::TimedOut)??.clone();
        let running = tokio::spawn(async move {
            let mut connection = pool.acquire().await?;
            let rows = timeout(STATEMENT_TIMEOUT, statement.fetch_all(&mut *connection)).await;
            if rows.is_err() {
                connection.close_on_drop();
            }
            rows.map_err(|_| DatabaseError::TimedOut)?.map_err(DatabaseError::Failed)
        });
        running.await.unwrap_or(Err(DatabaseError::Aborted))
    }

    /// Connects, and creates the table if it does not exist: a user of the database who may not create tables can use one.
    async fn open(&self) -> Result<PgPool, sqlx::Error> {
        let pool =
            PgPoolOptions::new().max_connections(self.most_connections).acquire_timeout(CONNECT_TIMEOUT);
        let pool = pool.connect_lazy_with(self.options.clone());
        let Some(table) = self.table else { return Ok(pool) };
        let exists = sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(table.name);
        if exists.fetch_one(&pool).await? {
            return Ok(pool);
        }
        // `IF NOT EXISTS` alone fails if two replicas start at once.
        let mut transaction = pool.begin().await?;
        sqlx::query("SET LOCAL lock_timeout = '5s'").execute(&mut *transaction).await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TABLES_LOCK).execute(&mut *transaction).await?;
        sqlx::raw_sql(table.create).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(pool)
    }
}

/// Leaves the options out, which may hold a password.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("table", &self.table.map(|table| table.name)).finish_non_exhaustive()
    }
}
