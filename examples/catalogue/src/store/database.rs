//! Creation of the file, and connections to it.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::store::StoreError;

/// The migrations from each version to the next; a new file has version 0. Existing entries never change.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/0001_catalogue.sql")];

const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    Read,
    Write,
}

/// Opens the file; `Mode::Write` creates it if it is missing.
pub(super) fn open(path: &Path, mode: Mode) -> Result<Connection, StoreError> {
    let mut connection = connect(path, mode)?;
    connection.busy_handler(Some(match mode {
        // A reader has a cached list and a waiting caller.
        Mode::Read => |attempt| wait(attempt, 50),
        // A writer can wait longer.
        Mode::Write => |attempt| wait(attempt, 500),
    }))?;
    match version(&connection)? {
        NEWEST => {}
        0 if mode == Mode::Read => return Err(StoreError::Missing(path.to_owned())),
        0 => migrate(&mut connection)?,
        found => return Err(StoreError::Newer { found, newest: NEWEST }),
    }
    Ok(connection)
}

fn connect(path: &Path, mode: Mode) -> Result<Connection, StoreError> {
    let access = match mode {
        Mode::Read if !path.try_exists()? => return Err(StoreError::Missing(path.to_owned())),
        Mode::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Mode::Write => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        }
    };
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    if mode == Mode::Write {
        connection.pragma_update(None, "foreign_keys", true)?;
        // A commit is on the disk.
        connection.pragma_update(None, "synchronous", "FULL")?;
    }
    Ok(connection)
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it.
    let from = usize::try_from(version(&transaction)?).unwrap_or(usize::MAX);
    for (migration, version) in MIGRATIONS.iter().zip(1_i64..).skip(from) {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    Ok(transaction.commit()?)
}

/// Waits for a lock with growing, jittered delays. Fifty attempts take about three seconds.
fn wait(attempt: i32, most_attempts: i32) -> bool {
    let most = 1_u64 << attempt.clamp(1, 6);
    let jitter = RandomState::new().hash_one(attempt) % most;
    thread::sleep(Duration::from_millis(most / 2 + jitter));
    attempt < most_attempts
}

/// The state of a file: its identity and its change counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    inode: u64,
    modified: Option<SystemTime>,
    length: u64,
    number: i64,
}

pub(super) fn revision(path: &Path) -> Result<Revision, StoreError> {
    let connection = connect(path, Mode::Read)?;
    if version(&connection)? == 0 {
        return Err(StoreError::Missing(path.to_owned()));
    }
    let number = connection.query_row("SELECT number FROM revision", [], |row| row.get(0))?;
    let metadata = std::fs::metadata(path)?;
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Ok(Revision { inode, modified: metadata.modified().ok(), length: metadata.len(), number })
}
