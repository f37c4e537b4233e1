//! The database: one SQLite file, written by administration and read by the catalogue.
//!
//! Each operation opens the file anew, which takes a fraction of a millisecond: a moved, restored or replaced file is noticed
//! without a restart.

mod database;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use tool_core::{Resource, ToolError, WritePass};

use crate::model::{Description, Provider, Tool};
use crate::store::database::Mode;

pub use database::Revision;
pub use rows::Row;

/// A catalogue in one SQLite file, which is created by the first change.
///
/// ```
/// use catalogue::Store;
///
/// let folder = tempfile::tempdir()?;
/// let store = Store::at(folder.path().join("catalogue.sqlite"));
/// let nothing = store.reader().rows().unwrap_err();
/// assert!(nothing.to_string().starts_with("there is no catalogue at "));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Store(Arc<Handles>);

#[derive(Debug)]
struct Handles {
    reader: Reader,
    writer: Writer,
}

impl Store {
    /// Creates a handle of the catalogue in this file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Store(Arc::new(Handles { reader: Reader(path.clone()), writer: Writer(path) }))
    }

    /// Returns the reading handle, for code outside of tools.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.0.reader
    }
}

impl Resource for Store {
    type Reader = Reader;
    type Writer = Writer;

    fn reader(&self) -> &Reader {
        &self.0.reader
    }

    fn writer(&self, _: WritePass<'_>) -> &Writer {
        &self.0.writer
    }
}

/// A handle that only reads the file: SQLite opens it read-only.
#[derive(Debug)]
pub struct Reader(PathBuf);

impl Reader {
    /// Returns everything stored, row by row: providers before tools, each ordered by code.
    ///
    /// # Errors
    ///
    /// When the file is missing or cannot be read. An invalid row is returned as such.
    pub fn rows(&self) -> Result<Vec<Row>, StoreError> {
        rows::all(&database::open(&self.0, Mode::Read)?)
    }

    /// Returns everything that is valid.
    ///
    /// # Errors
    ///
    /// As [`Self::rows`].
    pub fn description(&self) -> Result<Description, StoreError> {
        let mut description = Description::default();
        for row in self.rows()? {
            match row {
                Row::Provider(_, Ok(provider)) => description.providers.push(provider),
                Row::Tool(_, Ok(tool)) => description.tools.push(tool),
                Row::Provider(_, Err(_)) | Row::Tool(_, Err(_)) => {}
            }
        }
        Ok(description)
    }

    /// Returns a revision that changes whenever the file changes.
    ///
    /// # Errors
    ///
    /// When the file is missing or being written.
    pub fn revision(&self) -> Result<Revision, StoreError> {
        database::revision(&self.0)
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// A handle that changes the file. Each change is atomic and validated.
#[derive(Debug)]
pub struct Writer(PathBuf);

impl Writer {
    /// Stores a new provider.
    ///
    /// # Errors
    ///
    /// When it exists or is invalid.
    pub fn add_provider(&self, provider: &Provider) -> Result<(), StoreError> {
        self.change(|connection| match rows::provider(connection, &provider.code) {
            Err(StoreError::NoProvider(_)) => rows::put_provider(connection, provider),
            Ok(_) => Err(StoreError::Taken("provider", provider.code.clone())),
            Err(error) => Err(error),
        })
    }

    /// Changes a provider.
    ///
    /// # Errors
    ///
    /// When it does not exist, or when it or one of its tools would become invalid.
    pub fn edit_provider(
        &self,
        code: &str,
        edit: impl FnOnce(&mut Provider),
    ) -> Result<Provider, StoreError> {
        self.change(|connection| {
            let mut provider = rows::provider(connection, code)?;
            edit(&mut provider);
            rows::put_provider(connection, &provider)?;
            Ok(provider)
        })
    }

    /// Removes a provider that has no tools.
    ///
    /// # Errors
    ///
    /// When it does not exist or has tools.
    pub fn remove_provider(&self, code: &str) -> Result<(), StoreError> {
        self.change(|connection| rows::remove_provider(connection, code))
    }

    /// Stores a new tool.
    ///
    /// # Errors
    ///
    /// When it exists or is invalid.
    pub fn add_tool(&self, tool: &Tool) -> Result<(), StoreError> {
        self.change(|connection| match rows::tool(connection, &tool.code) {
            Err(StoreError::NoTool(_)) => rows::put_tool(connection, tool),
            Ok(_) => Err(StoreError::Taken("tool", tool.code.clone())),
            Err(error) => Err(error),
        })
    }

    /// Changes a tool.
    ///
    /// # Errors
    ///
    /// When it does not exist or would become invalid.
    pub fn edit_tool(&self, code: &str, edit: impl FnOnce(&mut Tool)) -> Result<Tool, StoreError> {
        self.change(|connection| {
            let mut tool = rows::tool(connection, code)?;
            edit(&mut tool);
            rows::put_tool(connection, &tool)?;
            Ok(tool)
        })
    }

    /// Removes a tool.
    ///
    /// # Errors
    ///
    /// When it does not exist.
    pub fn remove_tool(&self, code: &str) -> Result<(), StoreError> {
        self.change(|connection| rows::remove_tool(connection, code))
    }

    /// Stores all of these and replaces existing ones; importing again changes nothing.
    ///
    /// # Errors
    ///
    /// When one of them is invalid: then none is stored.
    pub fn import(&self, description: &Description) -> Result<(), StoreError> {
        self.change(|connection| {
            for provider in &description.providers {
                rows::put_provider(connection, provider)?;
            }
            description.tools.iter().try_for_each(|tool| rows::put_tool(connection, tool))
        })
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&rusqlite::Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = database::open(&self.0, Mode::Write)?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let faults = |connection| Ok::<_, StoreError>(crate::catalogue::faults(rows::all(connection)?));
        let before = faults(&transaction)?;
        let changed = change(&transaction)?;
        // Existing invalid rows do not prevent other changes.
        let mut new = faults(&transaction)?;
        new.retain(|fault| !before.contains(fault));
        if new.is_empty() {
            transaction.commit()?;
            Ok(changed)
        } else {
            Err(StoreError::Faults(new))
        }
    }
}

/// The reason why the catalogue cannot be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file does not exist.
    #[error("there is no catalogue at {}: `add_provider` and `import_catalogue` make one", .0.display())]
    Missing(PathBuf),
    /// The provider does not exist.
    #[error("there is no provider `{0}`")]
    NoProvider(String),
    /// The tool does not exist.
    #[error("there is no tool `{0}` in the catalogue")]
    NoTool(String),
    /// The code is already in use.
    #[error("there is a {0} `{1}` already")]
    Taken(&'static str, String),
    /// The provider has tools.
    #[error("provider `{0}` has tools: remove them, or disable it")]
    InUse(String),
    /// A stored row is invalid.
    #[error("what is stored under `{0}` makes no sense: {1}")]
    Senseless(String, String),
    /// The change is invalid.
    #[error("nothing was changed: {}", .0.join("; "))]
    Faults(Vec<String>),
    /// The file stays locked.
    #[error("the catalogue is busy: try again")]
    Busy,
    /// Reading was interrupted; the log has the details.
    #[error("the catalogue could not be read to its end")]
    Interrupted,
    /// The file has the format of a newer version.
    #[error("the file has the format {found}, and this program knows up to {newest}: use a newer one")]
    Newer {
        /// The version of its format.
        found: i64,
        /// The newest supported version.
        newest: i64,
    },
    /// The file cannot be created.
    #[error("the file cannot be made: {0}")]
    File(#[from] std::io::Error),
    /// An error of SQLite.
    #[error("{0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => StoreError::Busy,
            _ => StoreError::Sqlite(error),
        }
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match error {
            StoreError::Missing(_) | StoreError::NoProvider(_) | StoreError::NoTool(_) => {
                ToolError::not_found(text)
            }
            StoreError::Taken(..) | StoreError::InUse(_) => ToolError::conflict(text),
            StoreError::Busy | StoreError::Interrupted => ToolError::unavailable(text),
            StoreError::Faults(_) | StoreError::Senseless(..) | StoreError::Newer { .. } => {
                ToolError::failed(text)
            }
            // The message may name a file or a statement, which callers must not see.
            StoreError::File(_) | StoreError::Sqlite(_) => {
                tracing::error!(error = text, "the catalogue does not work");
                ToolError::unavailable("the catalogue cannot be read or written at the moment")
            }
        }
    }
}

#[cfg(test)]
mod tests;
