//! The file: its creation, its migrations, and connections to it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::SiteError;

/// The migrations from each version to the next; a new file has version 0. Existing entries never change.
const MIGRATIONS: [&str; 3] = [
    include_str!("../../migrations/0001_content.sql"),
    include_str!("../../migrations/0002_outbox.sql"),
    include_str!("../../migrations/0003_import.sql"),
];

/// The content of a new site.
const SEED: &str = include_str!("../../seed/museum.sql");

/// The timeout for locks: a transaction of this program takes some milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// The file of a site.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    /// `true` once the file exists in the newest format.
    ready: Mutex<bool>,
}

impl Database {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, ready: Mutex::new(false) }
    }

    fn open(&self, mode: Mode) -> Result<Opened, SiteError> {
        self.prepare()?;
        match mode {
            Mode::ReadOnly => reading(&self.path),
            Mode::ReadWrite => Ok(Opened { connection: connect(&self.path, mode)?, frozen: None }),
        }
    }

    /// Creates or migrates the file, once.
    fn prepare(&self) -> Result<(), SiteError> {
        let mut ready = locked(&self.ready);
        if !*ready {
            if !self.path.try_exists()? {
                create(&self.path)?;
            }
            // An up-to-date file needs no writing; the disk may be full.
            if version(&reading(&self.path)?.connection)? < MIGRATIONS.len() {
                migrate(&mut connect(&self.path, Mode::ReadWrite)?)?;
            }
            *ready = true;
        }
        Ok(())
    }
}

/// The purpose of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    ReadOnly,
    ReadWrite,
}

/// A pool of connections of one kind, each lent to one call at a time.
#[derive(Debug)]
pub(super) struct Connections {
    database: Arc<Database>,
    mode: Mode,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    pub(super) fn new(database: Arc<Database>, mode: Mode) -> Self {
        Self { database, mode, idle: Mutex::default() }
    }

    /// Lends a connection to `work`. It is closed after a failure, so that no later call finds it in an undefined state.
    pub(super) fn lend<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, SiteError>,
    ) -> Result<T, SiteError> {
        let idle = locked(&self.idle).pop().map(|connection| Opened { connection, frozen: None });
        let Opened { mut connection, frozen } = idle.map_or_else(|| self.database.open(self.mode), Ok)?;
        let result = work(&mut connection)?;
        match frozen {
            None => locked(&self.idle).push(connection),
            Some(before) if Some(&before) == Frozen::of(&self.database.path)?.as_ref() => {}
            Some(_) => return Err(io::Error::other("the file was changed while it was read").into()),
        }
        Ok(result)
    }
}

/// A connection, and the state of the file if it was opened as immutable.
struct Opened {
    connection: Connection,
    frozen: Option<Frozen>,
}

/// The state of an immutable file: one without a write-ahead log beside it.
#[derive(PartialEq)]
struct Frozen {
    length: u64,
    modified: SystemTime,
}

impl Frozen {
    /// Returns `None` if there is a log beside the file.
    fn of(path: &Path) -> io::Result<Option<Self>> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
            return Ok(None);
        }
        let file = fs::metadata(path)?;
        Ok(Some(Frozen { length: file.len(), modified: file.modified()? }))
    }
}

/// Opens a reading connection. SQLite creates a small file beside the database for it, which fails on a full disk; an immutable
/// file needs none.
fn reading(path: &Path) -> Result<Opened, SiteError> {
    let connection = connect(path, Mode::ReadOnly)?;
    let Err(error) = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) else {
        return Ok(Opened { connection, frozen: None });
    };
    let space = [ErrorCode::DiskFull, ErrorCode::SystemIoFailure, ErrorCode::CannotOpen, ErrorCode::ReadOnly];
    let is_about_space = error.sqlite_error_code().is_some_and(|code| space.contains(&code));
    match (Frozen::of(path)?, path.to_str()) {
        (Some(frozen), Some(name)) if is_about_space => {
            let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let connection = connect(Path::new(&format!("file:{name}?immutable=1")), Mode::ReadOnly)?;
            Ok(Opened { connection, frozen: Some(frozen) })
        }
        _ => Err(error.into()),
    }
}

fn connect(path: &Path, mode: Mode) -> rusqlite::Result<Connection> {
    let access = match mode {
        // Like `mode=ro` in a URI: SQLite opens the file read-only, and no statement changes that.
        Mode::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        Mode::ReadWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    match mode {
        Mode::ReadOnly => {
            // Forbids writing temporary tables, too.
            connection.pragma_update(None, "query_only", true)?;
            connection.authorizer(Some(this_file_alone))?;
        }
        Mode::ReadWrite => {
            connection.pragma_update(None, "foreign_keys", true)?;
            // A commit is on the disk.
            connection.pragma_update(None, "synchronous", "FULL")?;
        }
    }
    Ok(connection)
}

/// Denies access to other files, which a read-only connection could open or create: `VACUUM INTO` uses `ATTACH`, too.
fn this_file_alone(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => Authorization::Deny,
        _ => Authorization::Allow,
    }
}

/// Creates the file under another name and moves it, so that no process sees an incomplete file.
fn create(path: &Path) -> Result<(), SiteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let beside = tempfile::Builder::new().prefix(".new-site-").tempfile_in(folder)?.into_temp_path();
    let mut connection = connect(&beside, Mode::ReadWrite)?;
    // Readers and writers do not wait for each other. This property is stored in the file.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    migrate(&mut connection)?;
    connection.execute_batch(&format!("BEGIN IMMEDIATE;\n{SEED}\nCOMMIT;"))?;
    // Closing the last connection merges the log into the file.
    connection.close().map_err(|(_, error)| error)?;
    match beside.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error.into()),
        _ => Ok(()),
    }
}

/// Returns the version of a file's format.
fn version(connection: &Connection) -> Result<usize, SiteError> {
    let newest = MIGRATIONS.len();
    // A negative version is foreign, and counts as newer than all.
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let found = usize::try_from(version).unwrap_or(usize::MAX);
    if found > newest { Err(SiteError::Newer { found, newest }) } else { Ok(found) }
}

/// Runs missing migrations in one transaction.
fn migrate(connection: &mut Connection) -> Result<(), SiteError> {
    if version(connection)? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it.
    let from = version(&transaction)?;
    for (migration, version) in MIGRATIONS.iter().zip(1_i64..).skip(from) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    Ok(transaction.commit()?)
}

/// Locks a mutex, ignoring poisoning: a panic leaves nothing half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrates_an_old_file_and_keeps_its_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(MIGRATIONS[0]).unwrap();
        old.execute_batch("INSERT INTO user VALUES ('ada', 'Ada Old'); PRAGMA user_version = 1;").unwrap();
        drop(old);

        let connection = Database::at(path.clone()).open(Mode::ReadOnly).unwrap().connection;
        let count = |table: &str| {
            connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, u32>(0))
        };
        assert_eq!((count("user").unwrap(), count("node").unwrap(), count("outbox").unwrap()), (1, 0, 0));
        // Now it is up to date, and no migration runs again.
        Database::at(path).open(Mode::ReadWrite).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn reads_a_file_while_the_disk_is_full() {
        const CHILD: &str = "CONTENT_TEST_READS";
        if let Some(path) = std::env::var_os(CHILD) {
            let error = fs::write(Path::new(&path).with_extension("full"), "more").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
            let readers = Connections::new(Arc::new(Database::at(path.into())), Mode::ReadOnly);
            for _ in 0..2 {
                let count = "SELECT count(*) FROM node";
                let nodes: Result<u32, _> =
                    readers.lend(|connection| Ok(connection.query_row(count, [], |row| row.get(0))?));
                assert!(nodes.unwrap() > 0);
            }
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("there.sqlite");
        create(&path).unwrap();
        let name = "site::database::tests::reads_a_file_while_the_disk_is_full";
        // Simulates a full disk: no file of this process can grow; output goes into pipes.
        let mut child = std::process::Command::new("sh");
        child
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap());
        let output = child.args(["--exact", name, "--nocapture"]).env(CHILD, &path).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}{output:?}");
    }

    #[test]
    fn rejects_a_newer_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("newer.sqlite");
        Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99;").unwrap();
        let error = Database::at(path).open(Mode::ReadWrite).err().unwrap();
        assert!(matches!(error, SiteError::Newer { found: 99, newest: 3 }), "{error}");
    }

    #[test]
    fn keeps_an_existing_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/inside/museum.sqlite");
        create(&path).unwrap();
        let first = fs::metadata(&path).unwrap().modified().unwrap();
        create(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), first);
        let names: Vec<_> = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names, ["museum.sqlite"], "nothing is left behind");
    }

    #[test]
    fn creates_files_in_wal_mode() {
        let folder = tempfile::tempdir().unwrap();
        let connection =
            Database::at(folder.path().join("new.sqlite")).open(Mode::ReadWrite).unwrap().connection;
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        let synchronous: u8 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        assert_eq!((mode.as_str(), synchronous), ("wal", 2));
    }
}
