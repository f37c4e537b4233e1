//! The storage of results.

#[cfg(feature = "results")]
mod local;
#[cfg(feature = "results")]
mod memory;
#[cfg(feature = "results")]
mod objects;

use std::io;
use std::time::Duration;

use bytes::Bytes;

#[cfg(feature = "results")]
pub(crate) use local::Local;
#[cfg(feature = "results")]
pub(crate) use memory::memory;

use crate::model::future::BoxFuture;

/// Where a [`ResultStore`](crate::results::ResultStore) stores bytes: a directory, memory, or a storage of the application,
/// such as a bucket.
///
/// A name consists of two parts of 64 hexadecimal digits with a `/` between them. The store creates names; they never contain
/// data of a caller. A storage need not be reliable: bytes are checked against their digest, and lost bytes count as not found.
///
/// ```
/// use std::collections::HashMap;
/// use std::future::ready;
/// use std::io;
/// use std::sync::Mutex;
/// use std::time::Duration;
///
/// use bytes::Bytes;
/// use tool_core::BoxFuture;
/// use tool_core::results::{StoredResult, ResultStorage, ResultStore};
///
/// #[derive(Default)]
/// struct Table(Mutex<HashMap<String, Bytes>>);
///
/// impl ResultStorage for Table {
///     fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
///         self.0.lock().unwrap().insert(name.to_owned(), bytes);
///         Box::pin(ready(Ok(())))
///     }
///     fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Bytes>>> {
///         let found = self.0.lock().unwrap().get(name).cloned();
///         Box::pin(ready(Ok(found)))
///     }
///     fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
///         self.0.lock().unwrap().remove(name);
///         Box::pin(ready(Ok(())))
///     }
///     fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
///         let table = self.0.lock().unwrap();
///         let object = |(name, bytes): (&String, &Bytes)| {
///             StoredObject { name: name.clone(), bytes: bytes.len() as u64, age: Duration::ZERO }
///         };
///         Box::pin(ready(Ok(table.iter().map(object).collect())))
///     }
/// }
///
/// use tool_core::results::StoredObject;
///
/// let store = ResultStore::on(Table::default());
/// ```
pub trait ResultStorage: Send + Sync {
    /// Stores bytes under this name, atomically, replacing what is there.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>>;

    /// Returns the bytes of this name, or `None`.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Bytes>>>;

    /// Deletes the bytes of this name. It is not an error if there are none.
    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>>;

    /// Lists what is stored, including results of earlier processes.
    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>>;
}

/// An entry in a [`ResultStorage`].
///
/// ```
/// use tool_core::results::StoredObject;
///
/// let object = StoredObject { name: "a/b".to_owned(), bytes: 5, age: std::time::Duration::ZERO };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// The name of the entry.
    pub name: String,
    /// The number of bytes.
    pub bytes: u64,
    /// How long it has been stored; zero if the clock is inconsistent.
    pub age: Duration,
}
