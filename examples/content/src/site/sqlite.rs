//! A site in a file of SQLite: its creation, its connections, and reading it while the disk is full.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, Connection as _, Executor as _};

use super::SiteError;
use super::dialect::SQLITE;
use super::migrations::migrate;

/// How many calls read at once.
const READERS: u32 = 4;

/// The timeout for a connection: those who write in this process wait for each other, and then for other processes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The characters that stand for themselves in the path of a URL.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

/// What a reading connection begins with. Forbids temporary tables, too. What SQLite sorts is in memory: the folder for temporary
/// files may be read-only.
const READING: &str = "PRAGMA busy_timeout = 30000; PRAGMA temp_store = memory; PRAGMA query_only = true";

/// What a writing connection begins with. A commit is on the disk.
const WRITING: &str = "PRAGMA busy_timeout = 30000; PRAGMA temp_store = memory; PRAGMA foreign_keys = true; \
     PRAGMA synchronous = FULL";

/// Returns how the file is opened. With `mode=ro`, SQLite opens it read-only, and no statement changes that.
fn options(path: &Path, parameters: &str) -> Result<AnyConnectOptions, SiteError> {
    let path = std::path::absolute(path)?;
    let path = path.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
    Ok(format!("sqlite://{}?{parameters}", utf8_percent_encode(path, PLAIN)).parse()?)
}

/// Returns the connections that read and the one that writes, which are opened when they are needed.
pub(super) fn pools(path: &Path) -> Result<(AnyPool, AnyPool), SiteError> {
    let read = pool(READERS, READING).connect_lazy_with(options(path, "mode=ro")?);
    let write = pool(1, WRITING).connect_lazy_with(options(path, "mode=rw")?);
    Ok((read, write))
}

fn pool(connections: u32, begin: &'static str) -> AnyPoolOptions {
    AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            Box::pin(async move { connection.execute(sqlx::raw_sql(begin)).await.map(drop) })
        })
        .after_release(|connection, _| {
            // After a full disk, SQLite has rolled back by itself, and sqlx still counts a transaction: such a connection is closed.
            Box::pin(async move {
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
}

/// Creates the file under another name and moves it, so that no process sees an incomplete file.
pub(super) async fn create(path: &Path) -> Result<(), SiteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = tempfile::Builder::new().prefix(".new-site-").tempfile_in(folder)?.into_temp_path();
    let mut connection = AnyConnection::connect_with(&options(&beside, "mode=rw")?).await?;
    // Readers and writers do not wait for each other. This property is stored in the file.
    connection.execute(sqlx::raw_sql("PRAGMA journal_mode = WAL")).await?;
    connection.execute(sqlx::raw_sql(WRITING)).await?;
    migrate(&mut connection, &SQLITE).await?;
    // Closing the last connection merges the log into the file.
    connection.close().await?;
    match beside.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error.into()),
        _ => Ok(()),
    }
}

/// A file that does not change: one without a write-ahead log beside it.
pub(super) struct FrozenFile {
    pub(super) connection: AnyConnection,
    path: PathBuf,
    before: State,
}

impl FrozenFile {
    /// Closes the file.
    ///
    /// # Errors
    ///
    /// When it was changed while it was read.
    pub(super) fn close(self) -> io::Result<()> {
        if State::of(&self.path)?.as_ref() == Some(&self.before) {
            Ok(())
        } else {
            Err(io::Error::other("the file was changed while it was read"))
        }
    }
}

/// The state of a file.
#[derive(PartialEq)]
struct State {
    length: u64,
    modified: SystemTime,
}

impl State {
    /// Returns `None` if there is a log beside the file.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
            return Ok(None);
        }
        let file = fs::metadata(path)?;
        Ok(Some(Self { length: file.len(), modified: file.modified()? }))
    }
}

/// Begins to read. SQLite creates a small file beside the database for it, which fails on a full disk; then returns the file as one
/// that does not change, which needs none.
pub(super) async fn probe(
    path: &Path,
    connection: &mut AnyConnection,
) -> Result<Option<FrozenFile>, SiteError> {
    let Err(error) = connection.execute("SELECT count(*) FROM sqlite_schema").await else { return Ok(None) };
    match State::of(path)? {
        Some(before) if is_about_space(&error) => {
            let options = options(path, "mode=ro&immutable=1")?;
            let mut connection = AnyConnection::connect_with(&options).await?;
            connection.execute(sqlx::raw_sql(READING)).await?;
            Ok(Some(FrozenFile { connection, path: path.to_owned(), before }))
        }
        _ => Err(error.into()),
    }
}

fn is_about_space(error: &sqlx::Error) -> bool {
    // SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN; the primary code is in the last byte of the extended one.
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<u32>().ok());
    code.is_some_and(|code| matches!(code & 0xff, 8 | 10 | 13 | 14))
}
