//! The database: a file of SQLite, or PostgreSQL for several machines. Administration writes it, the catalogue reads it.
//!
//! Each operation opens a file anew, which takes a fraction of a millisecond: a moved, restored or replaced file is noticed
//! without a restart.

mod database;
mod rows;
mod variables;

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::sqlite::SqliteError;
use sqlx::{Any, Transaction};
use thiserror::Error;
use tool_core::{Resource, ToolError, WritePass};

use crate::model::{Description, Provider, Tool};

pub use database::{Database, Postgres, Revision};
pub use rows::Row;

/// A catalogue in a database, whose tables are created by the first change.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// use catalogue::Store;
///
/// let folder = tempfile::tempdir()?;
/// let store = Store::at(folder.path().join("catalogue.sqlite"));
/// let nothing = store.reader().rows().await.unwrap_err();
/// assert!(nothing.to_string().starts_with("there is no catalogue at "));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Store(Arc<Handles>);

#[derive(Debug)]
struct Handles {
    reader: Reader,
    writer: Writer,
}

impl Store {
    /// Creates a handle of the catalogue in this file of SQLite, which the first change creates.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Store::of(Database::File(path.into()))
    }

    /// Creates a handle of the catalogue in a database of PostgreSQL. It connects at its first use.
    ///
    /// # Errors
    ///
    /// When the URL is invalid.
    ///
    /// ```
    /// use catalogue::Store;
    ///
    /// assert!(Store::postgres("postgres://catalogue@database/catalogue").is_ok());
    /// assert!(Store::postgres("catalogue").is_err());
    /// ```
    pub fn postgres(url: &str) -> Result<Self, StoreError> {
        Ok(Store::of(Database::postgres(url)?))
    }

    fn of(database: Database) -> Self {
        Store(Arc::new(Handles { reader: Reader(database.clone()), writer: Writer(database) }))
    }

    /// Creates the tables of PostgreSQL if they are missing, once however many servers do so at the same time. A file is left to the
    /// first change. Returns `true` if it created or updated tables.
    ///
    /// # Errors
    ///
    /// When the database cannot be reached, has the format of a newer version, or stays locked for migrations.
    pub async fn prepare(&self) -> Result<bool, StoreError> {
        match self.reader().database() {
            Database::File(_) => Ok(false),
            Database::Postgres(postgres) => postgres.prepare().await,
        }
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

/// A handle that only reads: its transactions are read-only for the database, too.
#[derive(Debug)]
pub struct Reader(Database);

impl Reader {
    /// Returns everything stored, row by row: providers before tools, each ordered by code.
    ///
    /// # Errors
    ///
    /// When there is no catalogue, or it cannot be read. An invalid row is returned as such.
    pub async fn rows(&self) -> Result<Vec<Row>, StoreError> {
        rows::all(&mut *self.0.read().await?).await
    }

    /// Returns everything that is valid.
    ///
    /// # Errors
    ///
    /// As [`Self::rows`].
    pub async fn description(&self) -> Result<Description, StoreError> {
        let mut description = Description::default();
        for row in self.rows().await? {
            match row {
                Row::Provider(_, Ok(provider)) => description.providers.push(provider),
                Row::Tool(_, Ok(tool)) => description.tools.push(tool),
                Row::Provider(_, Err(_)) | Row::Tool(_, Err(_)) => {}
            }
        }
        Ok(description)
    }

    /// Returns the database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.0
    }
}

/// A handle that changes the catalogue. Each change is atomic and validated.
#[derive(Debug)]
pub struct Writer(Database);

impl Writer {
    /// Stores a new provider.
    ///
    /// # Errors
    ///
    /// When it exists or is invalid.
    pub async fn add_provider(&self, provider: &Provider) -> Result<(), StoreError> {
        let mut change = self.change().await?;
        match rows::provider(&mut change.transaction, &provider.code).await {
            Err(StoreError::NoProvider(_)) => {}
            Ok(_) => return Err(StoreError::Taken("provider", provider.code.clone())),
            Err(error) => return Err(error),
        }
        rows::put_provider(&mut change.transaction, provider).await?;
        change.commit().await
    }

    /// Changes a provider.
    ///
    /// # Errors
    ///
    /// When it does not exist, or when it or one of its tools would become invalid.
    pub async fn edit_provider(
        &self,
        code: &str,
        edit: impl FnOnce(&mut Provider) + Send,
    ) -> Result<Provider, StoreError> {
        let mut change = self.change().await?;
        let mut provider = rows::provider(&mut change.transaction, code).await?;
        edit(&mut provider);
        rows::put_provider(&mut change.transaction, &provider).await?;
        change.commit().await?;
        Ok(provider)
    }

    /// Removes a provider that has no tools.
    ///
    /// # Errors
    ///
    /// When it does not exist or has tools.
    pub async fn remove_provider(&self, code: &str) -> Result<(), StoreError> {
        let mut change = self.change().await?;
        rows::remove_provider(&mut change.transaction, code).await?;
        change.commit().await
    }

    /// Stores a new tool.
    ///
    /// # Errors
    ///
    /// When it exists or is invalid.
    pub async fn add_tool(&self, tool: &Tool) -> Result<(), StoreError> {
        let mut change = self.change().await?;
        match rows::tool(&mut change.transaction, &tool.code).await {
            Err(StoreError::NoTool(_)) => {}
            Ok(_) => return Err(StoreError::Taken("tool", tool.code.clone())),
            Err(error) => return Err(error),
        }
        rows::put_tool(&mut change.transaction, tool).await?;
        change.commit().await
    }

    /// Changes a tool.
    ///
    /// # Errors
    ///
    /// When it does not exist or would become invalid.
    pub async fn edit_tool(
        &self,
        code: &str,
        edit: impl FnOnce(&mut Tool) + Send,
    ) -> Result<Tool, StoreError> {
        let mut change = self.change().await?;
        let mut tool = rows::tool(&mut change.transaction, code).await?;
        edit(&mut tool);
        rows::put_tool(&mut change.transaction, &tool).await?;
        change.commit().await?;
        Ok(tool)
    }

    /// Removes a tool.
    ///
    /// # Errors
    ///
    /// When it does not exist.
    pub async fn remove_tool(&self, code: &str) -> Result<(), StoreError> {
        let mut change = self.change().await?;
        rows::remove_tool(&mut change.transaction, code).await?;
        change.commit().await
    }

    /// Stores all of these and replaces existing ones; importing again changes nothing.
    ///
    /// # Errors
    ///
    /// When one of them is invalid or described twice, or when a secret would be sent to another origin than before: then none is
    /// stored.
    pub async fn import(&self, description: &Description) -> Result<(), StoreError> {
        let Description { providers, tools } = description;
        variables::refuse_repeated("providers", providers.iter().map(|provider| provider.code.as_str()))?;
        variables::refuse_repeated("tools", tools.iter().map(|tool| tool.code.as_str()))?;
        let mut change = self.change().await?;
        let before = rows::targets(&mut change.transaction).await?;
        for provider in providers {
            rows::put_provider(&mut change.transaction, provider).await?;
        }
        variables::refuse_moves(&before, &rows::targets(&mut change.transaction).await?)?;
        for tool in tools {
            rows::put_tool(&mut change.transaction, tool).await?;
        }
        change.commit().await
    }

    async fn change(&self) -> Result<Change, StoreError> {
        let mut transaction = self.0.write().await?;
        let faults = crate::catalogue::faults(rows::all(&mut transaction).await?);
        Ok(Change { transaction, faults })
    }
}

/// A change that is not stored unless it is committed.
struct Change {
    transaction: Transaction<'static, Any>,
    /// What was invalid before.
    faults: Vec<String>,
}

impl Change {
    /// Stores the change, unless something has become invalid. Existing invalid rows do not prevent other changes.
    async fn commit(mut self) -> Result<(), StoreError> {
        let mut new = crate::catalogue::faults(rows::all(&mut self.transaction).await?);
        new.retain(|fault| !self.faults.contains(fault));
        if new.is_empty() { Ok(self.transaction.commit().await?) } else { Err(StoreError::Faults(new)) }
    }
}

/// The reason why the catalogue cannot be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file does not exist, or the database has no tables.
    #[error("there is no catalogue at {0}: `add_provider` and `import_catalogue` make one")]
    Missing(String),
    /// The URL is not that of a PostgreSQL database. It is left out, since it may hold a password.
    #[error("DATABASE_URL is invalid: expected `postgres://user@host/database`")]
    InvalidUrl,
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
    /// The database stays locked.
    #[error("the catalogue is busy: try again")]
    Busy,
    /// The tables are missing or old, and the lock of migrations was not released in time.
    #[error(
        "the tables of the catalogue cannot be created or updated: another connection to the database holds the lock of migrations: \
         try again"
    )]
    MigrationLocked,
    /// Reading was interrupted; the log has the details.
    #[error("the catalogue could not be read to its end")]
    Interrupted,
    /// The database has the format of a newer version.
    #[error("the catalogue has the format {found}, and this program knows up to {newest}: use a newer one")]
    Newer {
        /// The version of its format.
        found: i64,
        /// The newest supported version.
        newest: i64,
    },
    /// The file cannot be created.
    #[error("the file cannot be made: {0}")]
    File(#[from] std::io::Error),
    /// An error of the database.
    #[error("{0}")]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if is_busy(&error) { StoreError::Busy } else { StoreError::Database(error) }
    }
}

/// Returns `true` if a lock was not released in time.
fn is_busy(error: &sqlx::Error) -> bool {
    let Some(error) = error.as_database_error() else { return false };
    let Some(code) = error.code() else { return false };
    if error.try_downcast_ref::<SqliteError>().is_some() {
        // SQLITE_BUSY and SQLITE_LOCKED; the higher bits say more about them.
        code.parse::<i32>().is_ok_and(|code| [5, 6].contains(&(code & 0xff)))
    } else {
        // lock_not_available
        code == "55P03"
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
            StoreError::Busy | StoreError::MigrationLocked | StoreError::Interrupted => {
                ToolError::unavailable(text)
            }
            StoreError::Faults(_)
            | StoreError::Senseless(..)
            | StoreError::InvalidUrl
            | StoreError::Newer { .. } => ToolError::failed(text),
            // The message may name a file or a statement, which callers must not see.
            StoreError::File(_) | StoreError::Database(_) => {
                tracing::error!(error = text, "the catalogue does not work");
                ToolError::unavailable("the catalogue cannot be read or written at the moment")
            }
        }
    }
}

#[cfg(test)]
mod tests;
