//! The engines.

use std::fmt;
#[cfg(feature = "sqlite")]
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tool_core::tasks::{NewTask, Task, TaskEngine, TaskError, TaskId, TaskRun};
use tool_core::{BoxFuture, Principal};

use crate::core::Core;
use crate::database::Database;
use crate::options::{EngineOptions, setters};
#[cfg(feature = "postgres")]
use crate::postgres::PostgresDatabase;
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteDatabase;
use crate::{requests, worker};

/// Implements the trait for an engine, whose field `core` is an `Arc<Core>`.
macro_rules! engine {
    ($engine:ident) => {
        impl TaskEngine for $engine {
            fn create(&self, task: NewTask) -> BoxFuture<'_, Result<Task, TaskError>> {
                Box::pin(requests::create(&self.core, task))
            }

            fn get<'a>(
                &'a self,
                owner: &'a Principal,
                id: &'a TaskId,
            ) -> BoxFuture<'a, Result<Option<Task>, TaskError>> {
                Box::pin(requests::get(&self.core, owner, id))
            }

            fn list<'a>(
                &'a self,
                owner: &'a Principal,
                after: Option<&'a TaskId>,
                limit: usize,
            ) -> BoxFuture<'a, Result<Vec<Task>, TaskError>> {
                Box::pin(requests::list(&self.core, owner, after, limit))
            }

            fn answer<'a>(
                &'a self,
                owner: &'a Principal,
                id: &'a TaskId,
                answers: Map<String, Value>,
            ) -> BoxFuture<'a, Result<bool, TaskError>> {
                Box::pin(requests::answer(&self.core, owner, id, answers))
            }

            fn cancel<'a>(
                &'a self,
                owner: &'a Principal,
                id: &'a TaskId,
            ) -> BoxFuture<'a, Result<bool, TaskError>> {
                Box::pin(requests::cancel(&self.core, owner, id))
            }

            fn changed<'a>(&'a self, id: &'a TaskId, version: u64) -> BoxFuture<'a, ()> {
                Box::pin(requests::changed(&self.core, id, version))
            }

            fn work(
                &self,
                run: Arc<dyn TaskRun>,
                stop: CancellationToken,
            ) -> BoxFuture<'_, Result<(), TaskError>> {
                Box::pin(worker::work(Arc::clone(&self.core), run, stop))
            }
        }

        impl $engine {
            setters!();

            fn with(self, change: impl FnOnce(&mut EngineOptions)) -> Self {
                let mut options = self.core.options;
                change(&mut options);
                let core = Arc::new(Core::new(Arc::clone(&self.core.database), options));
                Self { core, ..self }
            }

            /// Calls `hook` before and after each commit of a kind, with `before create`, `after claim` and so on, and with `heartbeat` when a
            /// worker begins one: for tests
            /// that end the process there.
            #[cfg(feature = "conformance")]
            #[doc(hidden)]
            #[must_use]
            pub fn at_commits(self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
                let database = crate::conformance::observe(Arc::clone(&self.core.database), Arc::new(hook));
                let core = Arc::new(Core::new(database, self.core.options));
                Self { core, ..self }
            }
        }

        impl fmt::Debug for $engine {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($engine))
                    .field("options", &self.core.options)
                    .finish_non_exhaustive()
            }
        }
    };
}

/// Tasks in a file of SQLite, for the processes of one machine.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::Registry;
/// use tool_tasks::SqliteEngine;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("tasks.db");
/// let engine = SqliteEngine::at(path).concurrency(8);
/// let registry = Registry::builder().tasks(Arc::new(engine)).allow_empty().build()?;
/// assert!(registry.task_engine().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "sqlite")]
pub struct SqliteEngine {
    core: Arc<Core>,
    database: Arc<SqliteDatabase>,
}

#[cfg(feature = "sqlite")]
engine!(SqliteEngine);

#[cfg(feature = "sqlite")]
impl SqliteEngine {
    /// Creates an engine whose tasks are in the file `path`. The file is opened, and created if there is none, when the engine is
    /// first used. On Unix, a new file has mode 0600 and a new folder 0700; an existing one keeps its permissions. No runtime is
    /// needed before that.
    ///
    /// ```
    /// let engine = tool_tasks::SqliteEngine::at("tasks.db");
    /// ```
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let database = Arc::new(SqliteDatabase::new(path.into()));
        let core = Arc::new(Core::new(Arc::clone(&database) as Arc<dyn Database>, EngineOptions::default()));
        SqliteEngine { core, database }
    }

    /// Creates an engine as [`at`](SqliteEngine::at) does, and opens the file.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unusable`] if the path is not a file, the file is of another version, all users have access to it, or this user has
    /// none, and [`TaskError::Unavailable`] if it cannot be opened for another reason.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let folder = tempfile::tempdir()?;
    /// assert!(tool_tasks::SqliteEngine::open(folder.path().join("tasks.db")).await.is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, TaskError> {
        let engine = SqliteEngine::at(path);
        engine.database.prepare().await?;
        Ok(engine)
    }

    /// Creates an engine as [`at`](SqliteEngine::at) does. The file is `tasks.db` in the folder `app` of `$XDG_STATE_HOME`, or of
    /// `~/.local/state`.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unusable`] if neither `$XDG_STATE_HOME` nor `$HOME` is set.
    ///
    /// ```no_run
    /// let engine = tool_tasks::SqliteEngine::in_state_dir("site")?;
    /// # Ok::<(), tool_core::tasks::TaskError>(())
    /// ```
    pub fn in_state_dir(app: &str) -> Result<Self, TaskError> {
        let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let state =
            folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|folder| folder.join(".local/state")));
        let missing = "neither `XDG_STATE_HOME` nor `HOME` is the path of a folder: set one of them";
        let state = state.ok_or_else(|| TaskError::Unusable(missing.to_owned()))?;
        Ok(SqliteEngine::at(state.join(app).join("tasks.db")))
    }
}

/// Tasks in a database of PostgreSQL, for the processes of several machines. Version 13 or later, in a database whose owner connects:
/// the extension `hstore` is created.
///
/// ```
/// use tool_tasks::PostgresEngine;
///
/// let engine = PostgresEngine::at("postgres://tasks@db.example/tasks").max_open(10_000);
/// assert!(!format!("{engine:?}").contains("db.example"));
/// ```
#[cfg(feature = "postgres")]
pub struct PostgresEngine {
    core: Arc<Core>,
    database: Arc<PostgresDatabase>,
}

#[cfg(feature = "postgres")]
engine!(PostgresEngine);

#[cfg(feature = "postgres")]
impl PostgresEngine {
    /// Creates an engine whose tasks are in the database of this URL, which may hold a password. It is connected to when the engine is
    /// first used. No runtime is needed before that.
    pub fn at(url: impl Into<String>) -> Self {
        let database = Arc::new(PostgresDatabase::new(url.into()));
        let core = Arc::new(Core::new(Arc::clone(&database) as Arc<dyn Database>, EngineOptions::default()));
        PostgresEngine { core, database }
    }

    /// Creates an engine as [`at`](PostgresEngine::at) does, and connects.
    ///
    /// # Errors
    ///
    /// [`TaskError::Unavailable`] if the database does not answer, and [`TaskError::Unusable`] if the URL is invalid, or its tables are
    /// of another version.
    ///
    /// ```no_run
    /// # async fn connect() -> Result<(), tool_core::tasks::TaskError> {
    /// let engine = tool_tasks::PostgresEngine::connect("postgres://tasks@db.example/tasks").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(url: impl Into<String>) -> Result<Self, TaskError> {
        let engine = PostgresEngine::at(url);
        engine.database.prepare().await?;
        Ok(engine)
    }

    /// Returns `true` if notifications of other processes arrive: for tests.
    #[cfg(feature = "conformance")]
    #[doc(hidden)]
    #[must_use]
    pub fn is_listening(&self) -> bool {
        self.database.is_listening()
    }
}
