//! The connections to PostgreSQL.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// The most connections of a pool.
const MOST_CONNECTIONS: u32 = 8;

/// How long the database may take to accept a connection.
const CONNECTING: Duration = Duration::from_secs(2);

/// How long the database may take for anything, with a connection to it.
const ANSWERING: Duration = Duration::from_secs(5);

/// The key of the lock that a replica holds while it creates tables.
const TABLES_LOCK: i64 = 7_386_223_984_516_932;

/// A text that is not the URL of a database of PostgreSQL. The text is not shown, since it may have a password.
///
/// ```
/// let error = tool_replicas::PostgresSessions::at("postgres://:secret@").unwrap_err();
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
    #[error("the database does not answer within {ANSWERING:?}")]
    TimedOut,
}

/// A database. It is connected at its first use.
#[derive(Debug)]
pub(crate) struct Database {
    options: PgConnectOptions,
    /// What creates the tables, if they are not there.
    tables: &'static str,
    pool: OnceCell<PgPool>,
}

impl Database {
    pub(crate) fn new(url: &str, tables: &'static str) -> Result<Self, InvalidDatabaseUrl> {
        let options: PgConnectOptions = url.parse().map_err(|_| InvalidDatabaseUrl)?;
        // A process that is stopped in the middle of a transaction would keep its locks.
        let options = options.options([("idle_in_transaction_session_timeout", "10s")]);
        Ok(Database { options, tables, pool: OnceCell::new() })
    }

    /// Does something with the connections, for a limited time.
    ///
    /// # Errors
    ///
    /// When the database fails, or does not answer in time.
    pub(crate) async fn run<'d, T, F>(&'d self, run: impl FnOnce(&'d PgPool) -> F) -> Result<T, DatabaseError>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        let answer = async { run(self.pool.get_or_try_init(|| self.open()).await?).await };
        timeout(ANSWERING, answer).await.map_err(|_| DatabaseError::TimedOut)?.map_err(DatabaseError::Failed)
    }

    /// Connects, and creates the tables.
    async fn open(&self) -> Result<PgPool, sqlx::Error> {
        let pool = PgPoolOptions::new().max_connections(MOST_CONNECTIONS).acquire_timeout(CONNECTING);
        let pool = pool.connect_lazy_with(self.options.clone());
        // `IF NOT EXISTS` alone fails if two replicas start at once.
        let mut transaction = pool.begin().await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TABLES_LOCK).execute(&mut *transaction).await?;
        sqlx::raw_sql(self.tables).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(pool)
    }
}
