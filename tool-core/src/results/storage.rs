//! Where the bytes of results are.

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

/// Where a [`ResultStore`](crate::results::ResultStore) has its bytes: a directory, memory, or what an application has, such as a bucket.
///
/// A name is two runs of 64 hexadecimal digits with a `/` between them, made by the store: nothing that a caller sends is ever
/// part of one. A storage need not be reliable: what is read is checked against its digest, and what is lost is not found.
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
    /// Puts bytes where this name leads, in place of what is there: all of them or none, whenever the program ends.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>>;

    /// The bytes of this name; `None` where there are none.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Bytes>>>;

    /// Forgets the bytes of this name. That there are none is no error.
    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>>;

    /// What there is, from before this program began too.
    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>>;
}

/// What a [`ResultStorage`] says about the bytes of a name.
///
/// ```
/// use tool_core::results::StoredObject;
///
/// let object = StoredObject { name: "a/b".to_owned(), bytes: 5, age: std::time::Duration::ZERO };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// The name that they were put under.
    pub name: String,
    /// How many they are.
    pub bytes: u64,
    /// For how long they have been there; zero where a clock says something impossible.
    pub age: Duration,
}
