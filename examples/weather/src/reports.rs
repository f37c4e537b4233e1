//! The [`Reports`] store: submitted observations, one JSON line each.
//!
//! A report is stored once its newline is. Calls lock a separate file, as a deletion replaces the store: a process that waited
//! for a lock on the old file would write to it in vain.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::observation::Observation;

/// A JSON-lines file of reports that several processes can use at once.
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
    /// The temporary file that a deletion renames to `file`.
    replacement: PathBuf,
}

/// The path of a store, which is opened on first use: reading the archive creates no file.
#[derive(Debug, Clone)]
pub struct ReportsFile(PathBuf);

impl ReportsFile {
    /// Creates a store at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    fn open(&self) -> Result<Reports, ReportsError> {
        Reports::open(&self.0)
    }
}

/// Reading access to reports.
pub trait ReadReports: Send + Sync {
    /// Returns all reports, like [`Reports::all`].
    ///
    /// # Errors
    ///
    /// The reports cannot be read.
    fn all(&self) -> Result<Vec<Observation>, ReportsError>;
}

/// Writing access to reports.
pub trait WriteReports: ReadReports {
    /// Stores a report, like [`Reports::append`].
    ///
    /// # Errors
    ///
    /// The report cannot be stored.
    fn append(&self, report: &Observation) -> Result<Receipt, ReportsError>;

    /// Deletes reports, like [`Reports::delete_before`].
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
    /// Opens the store at a path, and creates missing files and directories.
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

    /// Returns all reports, in the order in which they were stored.
    ///
    /// # Errors
    ///
    /// A line of the file is no report, or the file cannot be locked or read.
    pub fn all(&self) -> Result<Vec<Observation>, ReportsError> {
        let _lock = self.lock(File::lock_shared)?;
        Ok(self.read()?.reports)
    }

    /// Deletes the reports of days before a date, all or none.
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
                // The original line, with any unknown members.
                kept.extend_from_slice(line);
                kept_count += 1;
            }
        }
        if deleted > 0 {
            self.replace(&kept).map_err(|cause| ReportsError::Replace { path: self.file.clone(), cause })?;
        }
        Ok(Deleted { deleted, kept: kept_count })
    }

    /// Waits for the lock, which is held until the returned file is dropped.
    ///
    /// The file is opened each time, so that threads exclude each other, too.
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
            // Removed since it was opened; the next report creates it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(cause) => {
                return Err(ReportsError::Read { path: self.file.clone(), cause });
            }
        };
        // Text after the last newline is the rest of an interrupted write.
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

    /// Writes a report after the stored ones, over an incomplete line.
    fn write(&self, report: &Observation, end: u64) -> io::Result<()> {
        let mut line = serde_json::to_vec(report)?;
        line.push(b'\n');
        let mut file = open_or_create(&self.file)?;
        if end == 0 {
            // The file may be new, and its directory entry not on disk yet.
            sync_directory_of(&self.file)?;
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let result = file.write_all(&line).and_then(|()| file.sync_all());
        if result.is_err() {
            // The report was not stored, so remove what was written. If this fails, too, nothing is left to try.
            let _ = file.set_len(end);
        }
        result
    }

    fn replace(&self, text: &[u8]) -> io::Result<()> {
        // A killed deletion may have left a replacement: start anew.
        let mut file = File::create(&self.replacement)?;
        file.set_permissions(fs::metadata(&self.file)?.permissions())?;
        file.write_all(text)?;
        // Sync before the rename, so that the name never refers to missing data.
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

/// The reason why reports cannot be stored, read or deleted.
#[derive(Debug, Error)]
pub enum ReportsError {
    /// The store cannot be created, or not opened for writing.
    #[error("cannot open `{}`: {cause}", path.display())]
    Open {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The file that processes lock cannot be opened or locked.
    #[error("cannot lock `{}`: {cause}", path.display())]
    Lock {
        /// The path of the lock file.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The store cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A report cannot be written.
    #[error("cannot write `{}`: {cause}", path.display())]
    Write {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The store cannot be replaced by one without the deleted reports.
    #[error("cannot replace `{}`: {cause}", path.display())]
    Replace {
        /// The path of the store.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A complete line of the store is not a report.
    #[error("line {line} of `{}` is not a report: {reason}", path.display())]
    Corrupt {
        /// The path of the store.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A value is not a finite number.
    #[error("`{field}` is {value}, which is not a finite number")]
    NotFinite {
        /// The name of the field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
}

/// The content of the file up to its last newline.
struct Stored {
    text: Vec<u8>,
    /// One per line of `text`.
    reports: Vec<Observation>,
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// Checks that all values are finite: JSON would store others as `null`, which cannot be read again.
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

/// Returns the parser's message without its line number: it parses single lines.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Creates what is missing and returns the canonical path: processes that use a link must find the same lock, and replace the
/// file instead of the link.
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
    // A pipe would wait for somebody at its other end, and what a device has may never end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(io::Error::other("it is not a file"));
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).open(path)
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Syncs the directory of a new file (on Unix).
fn sync_directory_of(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(directory) if cfg!(unix) => File::open(directory)?.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
