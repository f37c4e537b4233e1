//! The [`Site`]: what is stored, with one handle to read it and one to change it.

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

/// A site in one SQLite file, which is made when it is first needed.
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
    /// The site in this file.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let database = Arc::new(Database::at(path.into()));
        let reader = SiteReader(Connections::new(Arc::clone(&database), Mode::ReadOnly));
        let writer = SiteWriter(Connections::new(database, Mode::ReadWrite));
        Self(Arc::new(Handles { reader, writer }))
    }

    /// The handle that reads, for code that is no tool.
    #[must_use]
    pub fn reader(&self) -> &SiteReader {
        &self.0.reader
    }

    /// A user of the site as a caller of its tools, with the permissions of the user's roles; `None` if there is no such
    /// user.
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

/// Reads a site, through connections that SQLite opened for reading alone: who has one cannot write, whatever the
/// statement.
#[derive(Debug)]
pub struct SiteReader(Connections);

impl SiteReader {
    /// Runs statements in one transaction, so that all of them see the same state.
    ///
    /// # Errors
    ///
    /// What the statements return, and that of the file.
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

/// Changes a site. Each change is one transaction: what was confirmed is on the disk, and of what was not there is nothing.
#[derive(Debug)]
pub struct SiteWriter(Connections);

impl SiteWriter {
    /// The right to write is taken first, so that nothing that was read has changed when it is written.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, SiteError>) -> Result<T, SiteError> {
        self.0.lend(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })
    }
}

/// Why the site has no answer, or did not change.
#[derive(Debug, Error)]
pub enum SiteError {
    /// There is no such node.
    #[error("there is no node {0}")]
    NoNode(NodeId),
    /// The node has no such revision.
    #[error("node {id} has no revision {vid}: the newest is {newest}")]
    NoRevision {
        /// The node.
        id: NodeId,
        /// The revision asked for.
        vid: u32,
        /// The newest revision of the node.
        newest: u32,
    },
    /// The node is not translated into this language.
    #[error("node {id} is not translated into `{langcode}`")]
    NoTranslation {
        /// The node.
        id: NodeId,
        /// The language asked for.
        langcode: Langcode,
    },
    /// There is no such user.
    #[error("nobody on this site is called `{0}`")]
    NoUser(String),
    /// Somebody else was faster.
    #[error("node {id} is at revision {newest} and not at {base} any more: read it again, and change that")]
    Changed {
        /// The node.
        id: NodeId,
        /// The revision that the change was made to.
        base: u32,
        /// The newest revision of the node.
        newest: u32,
    },
    /// Visitors see it.
    #[error("node {0} is published: withdraw it first")]
    Published(NodeId),
    /// The change changes nothing.
    #[error("node {0} is like that already: give a `title`, `body`, `tags` or `meta` that differs")]
    Unchanged(NodeId),
    /// Others write all the time.
    #[error("the site is busy: try again")]
    Busy,
    /// The file was written by a newer version of this program.
    #[error("the file has the format {found}, and this program knows up to {newest}: use a newer one")]
    Newer {
        /// The version of its format.
        found: usize,
        /// The newest version known.
        newest: usize,
    },
    /// The file cannot be made.
    #[error("the file cannot be made: {0}")]
    File(#[from] std::io::Error),
    /// SQLite says so.
    #[error("{0}")]
    Sqlite(rusqlite::Error),
    /// What is stored is not what this program stores.
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
            // The message may name a file or a statement, which is the concern of who runs this and not of who calls.
            SiteError::Newer { .. } | SiteError::File(_) | SiteError::Sqlite(_) | SiteError::Json(_) => {
                tracing::error!(error = text, "the store of the site does not work");
                ToolError::unavailable("the site cannot be read or written at the moment")
            }
        }
    }
}
