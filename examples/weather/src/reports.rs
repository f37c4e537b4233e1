//! The [`Reports`] store: observations that people send in, one JSON line each.
//!
//! A report is stored once the newline after it is. Every call takes a lock on
//! a file beside the store, not on the store itself, which a deletion replaces:
//! whoever waited for a lock on the old file would then write into nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::observation::Observation;

/// Reports in a JSON-lines file that several processes may use at once.
///
/// Every call reads the whole file: it is meant for thousands of reports, not
/// millions. Calls block, on the disk and on each other.
///
/// ```
/// use jiff::civil::date;
/// use weather::observation::{City, Observation, Weather};
/// use weather::reports::Reports;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("reports.jsonl");
/// let reports = Reports::open(path)?;
/// let receipt = reports.append(&Observation {
///     location: City::Seattle,
///     date: date(2016, 1, 1),
///     precipitation: 0.0,
///     temp_max: 6.1,
///     temp_min: -1.5,
///     wind: 2.9,
///     weather: Weather::Sun,
/// })?;
/// assert_eq!(receipt.number, 1);
/// assert_eq!(reports.delete_before(date(2016, 1, 2))?.deleted, 1);
/// assert!(reports.all()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reports {
    file: PathBuf,
    /// Locked during every call; it stays empty.
    lock: PathBuf,
    /// What a deletion writes and then renames to `file`.
    replacement: PathBuf,
}

/// The place of a store, which is opened when a call needs it: who only reads the archive leaves no file behind.
#[derive(Debug, Clone)]
pub struct ReportsFile(PathBuf);

impl ReportsFile {
    /// A store at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    fn open(&self) -> Result<Reports, ReportsError> {
        Reports::open(&self.0)
    }
}

/// What reads reports.
pub trait ReadReports: Send + Sync {
    /// As [`Reports::all`].
    ///
    /// # Errors
    ///
    /// The reports cannot be read.
    fn all(&self) -> Result<Vec<Observation>, ReportsError>;
}

/// What changes reports.
pub trait WriteReports: ReadReports {
    /// As [`Reports::append`].
    ///
    /// # Errors
    ///
    /// The report cannot be stored.
    fn append(&self, report: &Observation) -> Result<Receipt, ReportsError>;

    /// As [`Reports::delete_before`].
    ///
    /// # Errors
    ///
    /// The reports cannot be deleted.
    fn delete_before(&self, date: Date) -> Result<Deleted, ReportsError>;
}

impl ReadReports for ReportsFile {
    fn all(&self) -> Result<Vec<Observation>, ReportsError> {
        self.open()?.all()
    }
}

impl WriteReports for ReportsFile {
    fn append(&self, report: &Observation) -> Result<Receipt, ReportsError> {
        self.open()?.append(report)
    }

    fn delete_before(&self, date: Date) -> Result<Deleted, ReportsError> {
        self.open()?.delete_before(date)
    }
}

impl Reports {
    /// Opens the store at a path; a missing file or directory is created.
    ///
    /// # Errors
    ///
    /// The file cannot be created, or not opened for writing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReportsError> {
        let path = path.as_ref();
        let file = create(path).map_err(|cause| ReportsError::Open { path: path.to_owned(), cause })?;
        Ok(Self { lock: beside(&file, ".lock"), replacement: beside(&file, ".new"), file })
    }

    /// Stores a report; once this returns `Ok`, the report is on the disk.
    ///
    /// # Errors
    ///
    /// A figure is no finite number, a line of the file is no report, or the
    /// file cannot be locked, read or written. The report is then not stored.
    pub fn append(&self, report: &Observation) -> Result<Receipt, ReportsError> {
        check_finite(report)?;
        let _lock = self.lock(File::lock)?;
        let stored = self.read()?;
        self.write(report, stored.text.len() as u64)
            .map_err(|cause| ReportsError::Write { path: self.file.clone(), cause })?;
        Ok(Receipt { number: stored.reports.len() as u64 + 1 })
    }

    /// All reports, in the order in which they were stored.
    ///
    /// # Errors
    ///
    /// A line of the file is no report, or the file cannot be locked or read.
    pub fn all(&self) -> Result<Vec<Observation>, ReportsError> {
        let _lock = self.lock(File::lock_shared)?;
        Ok(self.read()?.reports)
    }

    /// Deletes the reports of days before a date, all of them or none.
    ///
    /// # Errors
    ///
    /// A line of the file is no report, or the file cannot be locked, read or
    /// replaced. Nothing is then deleted, with one exception: when only the
    /// last step fails, the sync of the directory, the reports are gone but
    /// may be back after a power failure.
    pub fn delete_before(&self, date: Date) -> Result<Deleted, ReportsError> {
        let _lock = self.lock(File::lock)?;
        let stored = self.read()?;
        let mut kept = Vec::with_capacity(stored.text.len());
        let (mut kept_count, mut deleted) = (0, 0);
        for (line, report) in lines(&stored.text).zip(&stored.reports) {
            if report.date < date {
                deleted += 1;
            } else {
                // The line as it was, with whatever else somebody put in it.
                kept.extend_from_slice(line);
                kept_count += 1;
            }
        }
        if deleted > 0 {
            self.replace(&kept).map_err(|cause| ReportsError::Replace { path: self.file.clone(), cause })?;
        }
        Ok(Deleted { deleted, kept: kept_count })
    }

    /// Waits for the lock, which is held until the file returned is dropped.
    ///
    /// It is opened anew each time, so that threads exclude each other too.
    fn lock(&self, lock: fn(&File) -> io::Result<()>) -> Result<File, ReportsError> {
        let locked = open_or_create(&self.lock).and_then(|file| {
            loop {
                match lock(&file) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => return result.map(|()| file),
                }
            }
        });
        locked.map_err(|cause| ReportsError::Lock { path: self.lock.clone(), cause })
    }

    fn read(&self) -> Result<Stored, ReportsError> {
        let mut text = match fs::read(&self.file) {
            Ok(text) => text,
            // Somebody took it away since it was opened; the next report creates it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(cause) => {
                return Err(ReportsError::Read { path: self.file.clone(), cause });
            }
        };
        // What follows the last newline was torn off when its writer died.
        let end = text.iter().rposition(|byte| *byte == b'\n');
        text.truncate(end.map_or(0, |newline| newline + 1));
        let reports = lines(&text)
            .zip(1..)
            .map(|(line, number)| {
                serde_json::from_slice(line).map_err(|error| ReportsError::Corrupt {
                    path: self.file.clone(),
                    line: number,
                    reason: reason(&error),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Stored { text, reports })
    }

    /// Writes a report where the stored ones end, over a torn line if there is one.
    fn write(&self, report: &Observation, end: u64) -> io::Result<()> {
        let mut line = serde_json::to_vec(report)?;
        line.push(b'\n');
        let mut file = open_or_create(&self.file)?;
        if end == 0 {
            // The file may be new, and its directory not know of it for good.
            sync_directory_of(&self.file)?;
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let result = file.write_all(&line).and_then(|()| file.sync_all());
        if result.is_err() {
            // The caller hears that nothing was stored, so nothing should stay.
            // If this fails as well, there is nothing left to try.
            let _ = file.set_len(end);
        }
        result
    }

    fn replace(&self, text: &[u8]) -> io::Result<()> {
        // A deletion that was killed may have left a replacement: start it anew.
        let mut file = File::create(&self.replacement)?;
        file.set_permissions(fs::metadata(&self.file)?.permissions())?;
        file.write_all(text)?;
        // Before the rename: a name must never stand for text not yet written.
        file.sync_all()?;
        fs::rename(&self.replacement, &self.file)?;
        sync_directory_of(&self.file)
    }
}

/// A report was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// How many reports are now stored, this one included.
    pub number: u64,
}

/// Reports were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    /// How many reports were deleted.
    pub deleted: u64,
    /// How many reports are still stored.
    pub kept: u64,
}

/// Why reports cannot be stored, read or deleted.
#[derive(Debug, Error)]
pub enum ReportsError {
    /// The store cannot be created, or not opened for writing.
    #[error("cannot open `{}`: {cause}", path.display())]
    Open {
        /// The path of the store.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file that processes lock cannot be opened or locked.
    #[error("cannot lock `{}`: {cause}", path.display())]
    Lock {
        /// The path of the lock file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The store cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// The path of the store.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A report cannot be written.
    #[error("cannot write `{}`: {cause}", path.display())]
    Write {
        /// The path of the store.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The store cannot be replaced by one without the deleted reports.
    #[error("cannot replace `{}`: {cause}", path.display())]
    Replace {
        /// The path of the store.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A line that is not the torn end of the store is no report.
    #[error("line {line} of `{}` is not a report: {reason}", path.display())]
    Corrupt {
        /// The path of the store.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A figure is not a number that JSON can hold.
    #[error("`{field}` is {value}, which is not a finite number")]
    NotFinite {
        /// The name of the field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
}

/// What the file holds, up to and with its last newline.
struct Stored {
    text: Vec<u8>,
    /// One a line of `text`.
    reports: Vec<Observation>,
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// JSON has no notation for other numbers: they would be stored as `null`, on a
/// line that could not be read again.
fn check_finite(report: &Observation) -> Result<(), ReportsError> {
    let figures = [
        ("precipitation", report.precipitation),
        ("temp_max", report.temp_max),
        ("temp_min", report.temp_min),
        ("wind", report.wind),
    ];
    match figures.into_iter().find(|(_, value)| !value.is_finite()) {
        Some((field, value)) => Err(ReportsError::NotFinite { field, value }),
        None => Ok(()),
    }
}

/// The parser's reason, without its own count of lines: it is given one line.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Creates what is missing and returns where the file really is: whoever comes
/// by a link must find the same lock, and replace the file, not the link.
fn create(path: &Path) -> io::Result<PathBuf> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    open_or_create(path)?;
    let file = path.canonicalize()?;
    sync_directory_of(&file)?;
    Ok(file)
}

fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).open(path)
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Makes a new name last: on Unix it is the directory that holds it.
fn sync_directory_of(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(directory) if cfg!(unix) => File::open(directory)?.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
