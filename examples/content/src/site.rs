//! The [`Site`]: a store with one handle to read it and one to change it.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};
use thiserror::Error;
use tool_core::{Principal, Resource, ToolError, WritePass};

use self::database::{Connections, Database, Mode};
use crate::model::{Langcode, NodeId};

mod announce;
mod database;
mod read;
mod stored;
mod write;

pub use read::Query;
pub use write::{Change, Translated};

/// A site in one SQLite file, which is created when it is first needed.
///
/// Any number of processes may use the file at once.
///
/// ```
/// use content::{NodeId, Site};
///
/// let folder = tempfile::tempdir()?;
/// let site = Site::at(folder.path().join("museum.sqlite"));
/// let node = site.reader().node(NodeId(2.try_into()?))?;
/// assert_eq!(node.content.title, "The tide road");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Site(Arc<Handles>);

#[derive(Debug)]
struct Handles {
    reader: SiteReader,
    writer: SiteWriter,
}

impl Site {
    /// Creates a handle of the site in this file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let database = Arc::new(Database::at(path.into()));
        let reader = SiteReader(Connections::new(Arc::clone(&database), Mode::ReadOnly));
        let writer = SiteWriter(Connections::new(database, Mode::ReadWrite));
        Self(Arc::new(Handles { reader, writer }))
    }

    /// Returns the reading handle, for code outside of tools.
    #[must_use]
    pub fn reader(&self) -> &SiteReader {
        &self.0.reader
    }

    /// Returns a user as a principal, with the permissions of the user's roles; `None` if the user does not exist.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn principal(&self, user: &str) -> Result<Option<Principal>, SiteError> {
        match self.reader().user(user) {
            Ok(user) => {
                Ok(Some(user.permissions.into_iter().fold(Principal::new(user.name), Principal::grant)))
            }
            Err(SiteError::NoUser(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Resource for Site {
    type Reader = SiteReader;
    type Writer = SiteWriter;

    fn reader(&self) -> &SiteReader {
        &self.0.reader
    }

    fn writer(&self, _: WritePass<'_>) -> &SiteWriter {
        &self.0.writer
    }
}

/// A handle that only reads a site: SQLite opened its connections read-only, whatever the statement.
#[derive(Debug)]
pub struct SiteReader(Connections);

impl SiteReader {
    /// Runs statements in one transaction, so that all of them see the same state.
    ///
    /// # Errors
    ///
    /// The error of the statements, or of the file.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let site = content::Site::at(folder.path().join("museum.sqlite"));
    /// let refused = site.reader().with(|connection| Ok(connection.execute("DELETE FROM node", [])?));
    /// assert!(refused.is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, SiteError>) -> Result<T, SiteError> {
        self.0.lend(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
            let result = work(&transaction)?;
            transaction.finish()?;
            Ok(result)
        })
    }
}

/// A handle that changes a site. Each change is one transaction: once confirmed it is on the disk.
#[derive(Debug)]
pub struct SiteWriter(Connections);

impl SiteWriter {
    /// Runs statements in a transaction that takes the write lock first, so that nothing changes after it was read.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, SiteError>) -> Result<T, SiteError> {
        self.0.lend(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }
}

/// The reason why a site cannot be read or changed.
#[derive(Debug, Error)]
pub enum SiteError {
    /// The node does not exist.
    #[error("there is no node {0}")]
    NoNode(NodeId),
    /// The node has no such revision.
    #[error("node {id} has no revision {vid}: the newest is {newest}")]
    NoRevision {
        /// The node.
        id: NodeId,
        /// The requested revision.
        vid: u32,
        /// The newest revision of the node.
        newest: u32,
    },
    /// The node is not translated into this language.
    #[error("node {id} is not translated into `{langcode}`")]
    NoTranslation {
        /// The node.
        id: NodeId,
        /// The requested language.
        langcode: Langcode,
    },
    /// The user does not exist.
    #[error("nobody on this site is called `{0}`")]
    NoUser(String),
    /// The node has a newer revision.
    #[error("node {id} is at revision {newest} and not at {base} any more: read it again, and change that")]
    Changed {
        /// The node.
        id: NodeId,
        /// The revision on which the change is based.
        base: u32,
        /// The newest revision of the node.
        newest: u32,
    },
    /// The node is published.
    #[error("node {0} is published: withdraw it first")]
    Published(NodeId),
    /// The change changes nothing.
    #[error("node {0} is like that already: give a `title`, `body`, `tags` or `meta` that differs")]
    Unchanged(NodeId),
    /// The file stays locked.
    #[error("the site is busy: try again")]
    Busy,
    /// The file has the format of a newer version.
    #[error("the file has the format {found}, and this program knows up to {newest}: use a newer one")]
    Newer {
        /// The version of its format.
        found: usize,
        /// The newest supported version.
        newest: usize,
    },
    /// The file cannot be created.
    #[error("the file cannot be made: {0}")]
    File(#[from] std::io::Error),
    /// An error of SQLite.
    #[error("{0}")]
    Sqlite(rusqlite::Error),
    /// A stored value is invalid.
    #[error("what is stored is damaged: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for SiteError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => SiteError::Busy,
            _ => SiteError::Sqlite(error),
        }
    }
}

impl From<SiteError> for ToolError {
    fn from(error: SiteError) -> Self {
        let text = error.to_string();
        match error {
            SiteError::NoNode(_)
            | SiteError::NoRevision { .. }
            | SiteError::NoTranslation { .. }
            | SiteError::NoUser(_) => ToolError::not_found(text),
            SiteError::Changed { .. } | SiteError::Published(_) => ToolError::conflict(text),
            SiteError::Unchanged(_) => ToolError::failed(text),
            SiteError::Busy => ToolError::unavailable(text),
            // The message may name a file or a statement, which callers must not see.
            SiteError::Newer { .. } | SiteError::File(_) | SiteError::Sqlite(_) | SiteError::Json(_) => {
                tracing::error!(error = text, "the store of the site does not work");
                ToolError::unavailable("the site cannot be read or written at the moment")
            }
        }
    }
}
