//! The [`Site`]: a store with one handle to read it and one to change it.

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::error::DatabaseError;
use thiserror::Error;
use tool_core::{Principal, Resource, ToolError, WritePass};

use self::change_listener::{ChangeListener, addresses};
use self::database::{Database, Transaction};
use self::stored::Json;
use crate::model::{Langcode, NodeId};

mod announce;
mod change_listener;
mod database;
mod dialect;
mod migrations;
mod read;
mod sqlite;
mod stored;
mod write;

pub use read::Query;
pub use write::{Change, Translated};

/// A site in one SQLite file or in a database of PostgreSQL, which is created when it is first needed.
///
/// Any number of processes may use it at once.
///
/// ```
/// use content::{NodeId, Site};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let site = Site::at(folder.path().join("museum.sqlite"));
/// let node = site.reader().node(NodeId(2.try_into()?)).await?;
/// assert_eq!(node.content.title, "The tide road");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Site(Arc<Handles>);

#[derive(Debug)]
struct Handles {
    reader: SiteReader,
    writer: SiteWriter,
}

impl Site {
    /// Creates a handle of the site in this file of SQLite.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::new(Arc::new(Database::file(path.into())), ChangeListener::default())
    }

    /// Creates a handle of the site in the database of PostgreSQL at this URL.
    ///
    /// Each change notifies the channel `content` of the URIs of the resources that changed, such as `content://node/2`, in its
    /// transaction.
    ///
    /// # Errors
    ///
    /// When it is not a URL of PostgreSQL. The error does not contain the URL, which may hold a password.
    ///
    /// ```
    /// use content::Site;
    ///
    /// assert!(Site::postgres("postgres://museum:secret@db.example.org/museum").is_ok());
    /// assert!(Site::postgres("museum.sqlite").is_err());
    /// ```
    pub fn postgres(url: &str) -> Result<Self, SiteError> {
        Ok(Self::new(Arc::new(Database::postgres(url)?), ChangeListener::default()))
    }

    /// Returns a handle of the same site that calls this function after each change that it has stored, with the addresses of the
    /// resources that changed, such as `node/2`. Changes by other handles and other processes are not among them.
    ///
    /// ```
    /// use content::Site;
    ///
    /// let site = Site::at("museum.sqlite").on_change(|addresses| println!("changed: {addresses:?}"));
    /// # drop(site);
    /// ```
    #[must_use]
    pub fn on_change(self, listener: impl Fn(&[String]) + Send + Sync + 'static) -> Self {
        Self::new(Arc::clone(&self.0.reader.0), ChangeListener::new(listener))
    }

    fn new(database: Arc<Database>, listener: ChangeListener) -> Self {
        let reader = SiteReader(Arc::clone(&database));
        Self(Arc::new(Handles { reader, writer: SiteWriter { database, listener } }))
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
    /// When the database cannot be read.
    pub async fn principal(&self, user: &str) -> Result<Option<Principal>, SiteError> {
        match self.reader().user(user).await {
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

/// A handle that only reads a site. It has queries, and no way to run a statement of a tool; and the database refuses changes in its
/// transactions.
#[derive(Debug)]
pub struct SiteReader(Arc<Database>);

impl SiteReader {
    /// Begins a transaction, whose queries see the same state.
    async fn begin(&self) -> Result<Transaction, SiteError> {
        self.0.read().await
    }
}

/// A handle that changes a site. Each change is one transaction: once confirmed it is on the disk.
#[derive(Debug)]
pub struct SiteWriter {
    database: Arc<Database>,
    listener: ChangeListener,
}

impl SiteWriter {
    /// Begins a transaction. What it [locks](read::lock) does not change after it was read.
    async fn begin(&self) -> Result<Transaction, SiteError> {
        self.database.write().await
    }

    /// Ends a transaction that changed a node, and tells the listener and other processes. The owner is that of a node that is new
    /// or deleted.
    async fn commit(
        &self,
        mut transaction: Transaction,
        id: NodeId,
        owner: Option<&str>,
    ) -> Result<(), SiteError> {
        let addresses = addresses(id, owner);
        if let Some(notify) = transaction.dialect.notify {
            sqlx::query(notify).bind(Json(&addresses)).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        self.listener.changed(&addresses);
        Ok(())
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
    /// A text contains a character that PostgreSQL cannot store.
    #[error("a text contains the character U+0000: leave it out")]
    Character,
    /// What is to be changed stays locked.
    #[error("the site is busy: try again")]
    Busy,
    /// The URL is not one of PostgreSQL.
    #[error("expected a URL such as `postgres://user@host/database`")]
    Url,
    /// The site has the format of a newer version.
    #[error("the site has the format {found}, and this program knows up to {newest}: use a newer one")]
    Newer {
        /// The version of its format.
        found: usize,
        /// The newest supported version.
        newest: usize,
    },
    /// The file cannot be created.
    #[error("the file cannot be made: {0}")]
    File(#[from] std::io::Error),
    /// An error of the database.
    #[error("{0}")]
    Database(sqlx::Error),
    /// A value cannot be stored as JSON.
    #[error("a value cannot be stored: {0}")]
    Json(#[from] serde_json::Error),
}

impl From<sqlx::Error> for SiteError {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error().and_then(DatabaseError::code) {
            Some(code) if dialect::is_about_locks(&code) => SiteError::Busy,
            Some(code) if dialect::is_about_characters(&code) => SiteError::Character,
            _ => SiteError::Database(error),
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
            SiteError::Unchanged(_) | SiteError::Character => ToolError::failed(text),
            SiteError::Busy => ToolError::unavailable(text),
            // The message may name a file or a statement, which callers must not see.
            SiteError::Url
            | SiteError::Newer { .. }
            | SiteError::File(_)
            | SiteError::Database(_)
            | SiteError::Json(_) => {
                tracing::error!(error = text, "the store of the site does not work");
                ToolError::unavailable("the site cannot be read or written at the moment")
            }
        }
    }
}
