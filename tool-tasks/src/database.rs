//! What the engine needs of a database.

use std::sync::Arc;
use std::time::Duration;

use tool_core::BoxFuture;
use tool_core::tasks::{TaskError, TaskId};

use crate::changes::Changes;

/// How long a worker waits after an error of the database, at first and at most.
pub(crate) const BACK_OFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// An error of the database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    /// The database does not answer, or refuses a statement. It may do so later.
    #[error("{0}")]
    Away(String),
    /// The database cannot be used by this program at all.
    #[error("{0}")]
    Unusable(String),
}

impl From<sqlx::Error> for DatabaseError {
    fn from(error: sqlx::Error) -> Self {
        DatabaseError::Away(error.to_string())
    }
}

impl From<DatabaseError> for TaskError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Away(cause) => TaskError::Unavailable(cause),
            DatabaseError::Unusable(cause) => TaskError::Unusable(cause),
        }
    }
}

/// A result of the database.
pub(crate) type Stored<T> = Result<T, DatabaseError>;

/// A value of a statement or a row. All columns are texts or 64-bit integers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Text(Option<String>),
    Int(Option<i64>),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(Some(text.to_owned()))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(Some(text))
    }
}

impl From<Option<String>> for Cell {
    fn from(text: Option<String>) -> Self {
        Cell::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Cell::Int(Some(number))
    }
}

impl From<Option<i64>> for Cell {
    fn from(number: Option<i64>) -> Self {
        Cell::Int(number)
    }
}

/// Returns the values of a statement.
macro_rules! cells {
    ($($value:expr),* $(,)?) => { vec![$($crate::database::Cell::from($value)),*] };
}
pub(crate) use cells;

/// A row. Its columns are taken in their order.
#[derive(Debug)]
pub(crate) struct Row(std::vec::IntoIter<Cell>);

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Row(cells.into_iter())
    }

    /// Returns the next column, a text or null.
    pub(crate) fn text_or_null(&mut self) -> Option<String> {
        match self.0.next() {
            Some(Cell::Text(text)) => text,
            _ => None,
        }
    }

    /// Returns the next column, a text.
    pub(crate) fn text(&mut self) -> String {
        self.text_or_null().unwrap_or_default()
    }

    /// Returns the next column, a number or null.
    pub(crate) fn int_or_null(&mut self) -> Option<i64> {
        match self.0.next() {
            Some(Cell::Int(number)) => number,
            _ => None,
        }
    }

    /// Returns the next column, a number.
    pub(crate) fn int(&mut self) -> i64 {
        self.int_or_null().unwrap_or_default()
    }
}

/// A transaction that writes. It is rolled back when it is dropped.
pub(crate) trait Transaction: Send {
    /// Runs a statement, and returns how many rows it changed.
    fn execute<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<u64>>;

    /// Returns the rows of a query.
    fn rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>>;

    /// Returns the rows of a query of one table, which no other transaction can change until this one ends.
    fn lock_rows<'a>(&'a mut self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'a, Stored<Vec<Row>>>;

    /// Registers a name of a worker with the queue.
    fn register<'a>(&'a mut self, name: &'a str) -> BoxFuture<'a, Stored<()>>;

    /// Removes the names of this worker from the queue, or those of all workers that have no row in `tool_task_worker`.
    fn remove_names<'a>(&'a mut self, worker: Option<&'a str>) -> BoxFuture<'a, Stored<()>>;

    /// Puts an entry for the task into the queue, which has none of it, and which no worker takes before `delay`.
    fn push<'a>(&'a mut self, id: &'a str, delay: Duration) -> BoxFuture<'a, Stored<()>>;

    /// Removes at most `limit` entries that are due, and returns the ids of their tasks.
    fn fetch<'a>(&'a mut self, worker: &'a str, limit: usize) -> BoxFuture<'a, Stored<Vec<String>>>;

    /// Removes the entry of the task.
    fn remove<'a>(&'a mut self, id: &'a str) -> BoxFuture<'a, Stored<()>>;

    /// Commits the transaction. After an error, it may be committed or not.
    fn commit(self: Box<Self>) -> BoxFuture<'static, Stored<()>>;
}

/// A database with the tables of the queue and of the tasks. It is prepared at its first use.
pub(crate) trait Database: Send + Sync {
    /// Returns the same database, over a connection that only heartbeats use: they do not wait for requests.
    fn for_heartbeat(&self) -> Arc<dyn Database>;

    /// Begins a transaction that writes.
    fn begin(&self) -> BoxFuture<'_, Stored<Box<dyn Transaction>>>;

    /// Returns the rows of a query.
    fn rows(&self, sql: &'static str, values: Vec<Cell>) -> BoxFuture<'_, Stored<Vec<Row>>>;

    /// Returns `true` if an entry of the queue is due.
    fn is_due(&self) -> BoxFuture<'_, Stored<bool>>;

    /// Returns the ids of at most `limit` tasks that wait for a worker, have not expired and have no entry in the queue.
    fn lost(&self, limit: i64) -> BoxFuture<'_, Stored<Vec<String>>>;

    /// Notifies other processes of a change of the task, if the database can. It may get lost.
    fn announce(&self, _id: &TaskId) {}

    /// Wakes those who wait for `changes` when other processes change tasks or queue them, if the database can.
    fn listen(&self, _changes: &Arc<Changes>) {}

    /// Returns `true` if notifications of other processes arrive.
    fn is_listening(&self) -> bool {
        false
    }
}
