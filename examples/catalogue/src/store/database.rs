//! The database: a file of SQLite, or PostgreSQL. All that differs between them is here.

use std::borrow::Cow;
use std::fmt;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use sqlx::any::{Any, AnyPoolOptions, install_default_drivers};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AnyPool, Executor as _, SqlSafeStr as _, Transaction};

use crate::store::StoreError;

/// The migrations of SQLite from each version to the next; a new file has version 0. Existing entries never change.
const SQLITE: [&str; 1] = [include_str!("../../migrations/sqlite/0001_catalogue.sql")];

/// The migrations of PostgreSQL.
const POSTGRES: [&str; 1] = [include_str!("../../migrations/postgres/0001_catalogue.sql")];

const NEWEST: i64 = SQLITE.len() as i64;

/// The table of the migrations. Other programs may have theirs in the same database.
const MIGRATIONS: &str = "catalogue_migrations";

/// What a reading connection to a file begins with. What SQLite sorts is in memory: the folder for temporary files may be read-only.
const READING: &str = "PRAGMA busy_timeout = 2000; PRAGMA temp_store = memory";

/// What a writing connection to a file begins with. It can wait longer than a reader, and a commit is on the disk.
const WRITING: &str = "PRAGMA busy_timeout = 30000; PRAGMA temp_store = memory; PRAGMA synchronous = FULL";

/// How long connecting to PostgreSQL may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a connection to PostgreSQL begins with: how long it waits for a lock. Any role of the database can hold that of migrations.
const CONNECTED: &str = "SET lock_timeout = '5s'";

/// Where a catalogue is stored.
#[derive(Clone)]
pub enum Database {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL.
    Postgres(Postgres),
}

/// A database of PostgreSQL, and connections to it.
#[derive(Clone)]
pub struct Postgres {
    url: String,
    pool: AnyPool,
}

impl Database {
    /// Connects to PostgreSQL at the first use.
    pub(super) fn postgres(url: &str) -> Result<Self, StoreError> {
        install_default_drivers();
        // The texts of these errors could hold the password.
        let invalid = |_| StoreError::InvalidUrl;
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(StoreError::InvalidUrl);
        }
        url.parse::<sqlx::postgres::PgConnectOptions>().map_err(invalid)?;
        // Without these times, the pool needs no runtime yet.
        let pool = AnyPoolOptions::new().idle_timeout(None).max_lifetime(None);
        let pool = pool.after_connect(|connection, _| {
            Box::pin(async move { connection.execute(sqlx::raw_sql(CONNECTED)).await.map(drop) })
        });
        let pool = pool.max_connections(4).acquire_timeout(PATIENCE).connect_lazy(url).map_err(invalid)?;
        Ok(Database::Postgres(Postgres { url: url.to_owned(), pool }))
    }

    /// Begins a transaction that only reads, in one state of the database.
    pub(super) async fn read(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let missing = || StoreError::Missing(self.to_string());
        let (transaction, version) = match self {
            Database::File(path) if !path.try_exists()? => return Err(missing()),
            Database::File(path) => {
                let mut transaction = begin(path, "ro", READING, "BEGIN").await?;
                let version = user_version(&mut transaction).await?;
                (transaction, version)
            }
            Database::Postgres(Postgres { pool, .. }) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                let mut transaction = pool.begin_with(begin).await?;
                let version = newest_migration(&mut transaction).await?;
                (transaction, version)
            }
        };
        match version {
            0 => Err(missing()),
            found if found > NEWEST => Err(StoreError::Newer { found, newest: NEWEST }),
            _ => Ok(transaction),
        }
    }

    /// Begins a transaction that writes. Other ones wait for its end. The tables are created if they are missing.
    pub(super) async fn write(&self) -> Result<Transaction<'static, Any>, StoreError> {
        match self {
            Database::File(path) => {
                create_private(path)?;
                let mut transaction = begin(path, "rwc", WRITING, "BEGIN IMMEDIATE").await?;
                migrate_file(&mut transaction).await?;
                Ok(transaction)
            }
            Database::Postgres(Postgres { pool, .. }) => {
                migrate_postgres(pool).await?;
                let mut transaction = pool.begin().await?;
                let lock = "SET LOCAL lock_timeout = '30s'; \
                     LOCK TABLE provider, tool, parameter IN SHARE ROW EXCLUSIVE MODE";
                transaction.execute(sqlx::raw_sql(lock)).await?;
                Ok(transaction)
            }
        }
    }
}

impl Postgres {
    /// Returns the URL, which may hold a password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Creates the tables if they are missing. Returns `true` if it created or updated them.
    pub(super) async fn prepare(&self) -> Result<bool, StoreError> {
        migrate_postgres(&self.pool).await
    }
}

/// Creates the file and its folder, which only this user can read, unless they exist. SQLite gives the permissions of the file to
/// the files beside it.
fn create_private(path: &Path) -> io::Result<()> {
    let (mut folders, mut options) = (DirBuilder::new(), OpenOptions::new());
    folders.recursive(true);
    // Not `create_new`, which fails for a symbolic link to a file that does not exist.
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};

        folders.mode(0o700);
        options.mode(0o600);
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        folders.create(folder)?;
    }
    if path.exists() { Ok(()) } else { options.open(path).map(drop) }
}

/// Begins a transaction on a file. It is opened anew, so that one which was moved, restored or replaced is noticed.
async fn begin(
    path: &Path,
    mode: &str,
    settings: &'static str,
    statement: &'static str,
) -> Result<Transaction<'static, Any>, sqlx::Error> {
    install_default_drivers();
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), NON_ALPHANUMERIC);
    let pool = AnyPoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    let pool = pool.connect_lazy(&format!("sqlite:{path}?mode={mode}"))?;
    let mut connection = pool.acquire().await?;
    connection.execute(sqlx::raw_sql(settings)).await?;
    // Back to the pool, which has no other one.
    drop(connection);
    pool.begin_with(statement).await
}

async fn user_version(connection: &mut AnyConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("PRAGMA user_version").fetch_one(connection).await
}

/// Creates or updates the tables in a transaction that excludes others.
async fn migrate_file(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let found = user_version(connection).await?;
    let from = usize::try_from(found).ok().filter(|from| *from <= SQLITE.len());
    let from = from.ok_or(StoreError::Newer { found, newest: NEWEST })?;
    for (migration, version) in SQLITE.into_iter().zip(1_i64..).skip(from) {
        connection.execute(sqlx::raw_sql(migration)).await?;
        let version = sqlx::AssertSqlSafe(format!("PRAGMA user_version = {version}"));
        connection.execute(sqlx::raw_sql(version)).await?;
    }
    Ok(())
}

/// Returns the newest migration that a database of PostgreSQL has; 0 without tables.
async fn newest_migration(connection: &mut AnyConnection) -> Result<i64, sqlx::Error> {
    let select = sqlx::query_scalar("SELECT max(version) FROM catalogue_migrations");
    let version: Option<i64> = match select.fetch_one(connection).await {
        // undefined_table
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => None,
        version => version?,
    };
    Ok(version.unwrap_or_default())
}

/// Creates or updates the tables. Returns `true` if there was something to do.
///
/// The migrator takes a lock, for which other processes wait, and which any role of the database can hold: it runs only if a migration
/// is missing.
async fn migrate_postgres(pool: &AnyPool) -> Result<bool, StoreError> {
    let mut connection = pool.acquire().await?;
    match newest_migration(&mut connection).await? {
        NEWEST => return Ok(false),
        found if found > NEWEST => return Err(StoreError::Newer { found, newest: NEWEST }),
        _ => {}
    }
    let migration = |(sql, version): (&'static str, i64)| {
        let description = Cow::Borrowed("catalogue");
        Migration::new(version, description, MigrationType::Simple, sql.into_sql_str(), false)
    };
    let mut migrator = Migrator::with_migrations(POSTGRES.into_iter().zip(1..).map(migration).collect());
    migrator.dangerous_set_table_name(MIGRATIONS);
    // After an error, or if the caller does not wait for the end, the migrator does not release its lock: the end of the
    // connection does.
    connection.close_on_drop();
    let migrated = migrator.run_direct(None, &mut *connection, false).await;
    migrated.map(|()| true).map_err(|error| match error {
        MigrateError::VersionMissing(found) => StoreError::Newer { found, newest: NEWEST },
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => match error.into() {
            StoreError::Busy => StoreError::MigrationLocked,
            error => error,
        },
        error => StoreError::Database(sqlx::Error::from(error)),
    })
}

/// Shows where the catalogue is, without a password.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Database::File(path) => path.display().fmt(f),
            Database::Postgres(_) => f.write_str("the database of `DATABASE_URL`"),
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database({self})")
    }
}

/// The state of a file: its identity and its change counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    inode: u64,
    modified: Option<SystemTime>,
    length: u64,
    number: i64,
}

impl Revision {
    /// Reads the state of a file.
    ///
    /// # Errors
    ///
    /// When the file is missing or being written.
    pub async fn of(path: &Path) -> Result<Self, StoreError> {
        let mut transaction = Database::File(path.to_owned()).read().await?;
        let number = sqlx::query_scalar("SELECT number FROM revision").fetch_one(&mut *transaction).await?;
        let metadata = std::fs::metadata(path)?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Ok(Revision { inode, modified: metadata.modified().ok(), length: metadata.len(), number })
    }
}
