//! The database: its connections and transactions.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions, install_default_drivers};
use sqlx::{Any, AnyConnection, AnyPool, Executor as _};
use tokio::sync::OnceCell;

use super::SiteError;
use super::dialect::{Dialect, POSTGRES, SQLITE};
use super::migrations::{migrate, version};
use super::sqlite::{self, FrozenFile};

/// The timeout for a connection, and for locks of PostgreSQL. A restart of PostgreSQL takes less.
const PATIENCE: Duration = Duration::from_secs(10);

/// What each connection to PostgreSQL begins with: a process that is stopped in a transaction would keep its locks.
const LIMITS: &str = "SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '10s'";

/// A database with the site, which is opened, created and migrated when it is first used.
pub(super) struct Database {
    location: Location,
    pools: OnceCell<Pools>,
}

enum Location {
    File(PathBuf),
    Postgres(AnyConnectOptions),
}

#[derive(Debug)]
struct Pools {
    read: AnyPool,
    write: AnyPool,
}

impl Database {
    /// The database in a file of SQLite.
    pub(super) fn file(path: PathBuf) -> Self {
        Self { location: Location::File(path), pools: OnceCell::new() }
    }

    /// The database at a URL of PostgreSQL.
    pub(super) fn postgres(url: &str) -> Result<Self, SiteError> {
        let options: AnyConnectOptions = url.parse().map_err(|_| SiteError::Url)?;
        if !["postgres", "postgresql"].contains(&options.database_url.scheme()) {
            return Err(SiteError::Url);
        }
        Ok(Self { location: Location::Postgres(options), pools: OnceCell::new() })
    }

    fn dialect(&self) -> &'static Dialect {
        match self.location {
            Location::File(_) => &SQLITE,
            Location::Postgres(_) => &POSTGRES,
        }
    }

    /// Begins a transaction that sees one state of the site, and cannot change it.
    pub(super) async fn read(&self) -> Result<Transaction, SiteError> {
        let pools = self.pools.get_or_try_init(|| self.open()).await?;
        begin_read(&self.location, &pools.read, self.dialect()).await
    }

    /// Begins a transaction that changes the site.
    pub(super) async fn write(&self) -> Result<Transaction, SiteError> {
        let pools = self.pools.get_or_try_init(|| self.open()).await?;
        let dialect = self.dialect();
        let transaction = pools.write.begin_with(dialect.begin_write).await?;
        Ok(Transaction { open: Open::Pooled(transaction), dialect })
    }

    /// Connects, and creates or migrates the site.
    async fn open(&self) -> Result<Pools, SiteError> {
        install_default_drivers();
        let dialect = self.dialect();
        let pools = match &self.location {
            Location::File(path) => {
                if !path.try_exists()? {
                    sqlite::create(path).await?;
                }
                let (read, write) = sqlite::pools(path)?;
                Pools { read, write }
            }
            Location::Postgres(options) => {
                let pool = AnyPoolOptions::new().max_connections(8).acquire_timeout(PATIENCE);
                let pool = pool.after_connect(|connection, _| {
                    Box::pin(async move { connection.execute(sqlx::raw_sql(LIMITS)).await.map(drop) })
                });
                let pool = pool.connect_lazy_with(options.clone());
                Pools { read: pool.clone(), write: pool }
            }
        };
        // A site in the newest format needs no writing: the disk may be full, and the user of the database may only use tables.
        let mut transaction = begin_read(&self.location, &pools.read, dialect).await?;
        let found = version(&mut transaction, dialect).await?;
        drop(transaction);
        if found < dialect.migrations.len() {
            migrate(&mut *pools.write.acquire().await?, dialect).await?;
        }
        Ok(pools)
    }
}

impl fmt::Debug for Database {
    /// Hides the URL, which may hold a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::File(path) => f.debug_tuple("Database").field(path).finish(),
            Location::Postgres(_) => f.debug_tuple("Database").field(&"PostgreSQL").finish(),
        }
    }
}

async fn begin_read(
    location: &Location,
    pool: &AnyPool,
    dialect: &'static Dialect,
) -> Result<Transaction, SiteError> {
    let mut transaction = pool.begin_with(dialect.begin_read).await?;
    let open = match location {
        Location::File(path) => match sqlite::probe(path, &mut transaction).await? {
            Some(frozen) => Open::Frozen(frozen),
            None => Open::Pooled(transaction),
        },
        Location::Postgres(_) => Open::Pooled(transaction),
    };
    Ok(Transaction { open, dialect })
}

/// A transaction. It is rolled back when it is dropped.
pub(super) struct Transaction {
    open: Open,
    /// The statements of its database.
    pub(super) dialect: &'static Dialect,
}

enum Open {
    Pooled(sqlx::Transaction<'static, Any>),
    Frozen(FrozenFile),
}

impl Transaction {
    /// Ends the transaction; from now on its changes are kept, whatever happens.
    pub(super) async fn commit(self) -> Result<(), SiteError> {
        match self.open {
            Open::Pooled(transaction) => Ok(transaction.commit().await?),
            Open::Frozen(file) => Ok(file.close()?),
        }
    }
}

impl Deref for Transaction {
    type Target = AnyConnection;

    fn deref(&self) -> &AnyConnection {
        match &self.open {
            Open::Pooled(transaction) => transaction,
            Open::Frozen(file) => &file.connection,
        }
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut AnyConnection {
        match &mut self.open {
            Open::Pooled(transaction) => transaction,
            Open::Frozen(file) => &mut file.connection,
        }
    }
}

#[cfg(test)]
mod tests;
