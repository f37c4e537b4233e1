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

/// Where a [`ResultStore`](crate::results::ResultStore) stores bytes, such as a bucket.
///
/// Several processes may share a storage: each reads what the others have stored. A storage of this kind deletes old entries itself,
/// as a bucket with a lifecycle rule does, and has no limit of its size. A store that is
/// [on](crate::results::ResultStore::on) it never lists it, and ignores entries that are older than [its age](crate::results::ResultLimits::age).
/// For a storage whose size and age the store limits, implement [`ManagedStorage`] as well.
///
/// A name consists of two parts of 64 hexadecimal digits with a `/` between them. The store creates names; they never contain
/// data of a caller. A storage need not be reliable: bytes are checked against their digest, and lost bytes count as not found.
///
/// ```
/// use std::collections::HashMap;
/// use std::future::ready;
/// use std::io;
/// use std::sync::Mutex;
/// use std::time::Instant;
///
/// use bytes::Bytes;
/// use tool_core::BoxFuture;
/// use tool_core::results::{ResultStorage, ResultStore, StoredBytes};
///
/// #[derive(Default)]
/// struct Table(Mutex<HashMap<String, (Bytes, Instant)>>);
///
/// impl ResultStorage for Table {
///     fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
///         self.0.lock().unwrap().insert(name.to_owned(), (bytes, Instant::now()));
///         Box::pin(ready(Ok(())))
///     }
///     fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
///         let table = self.0.lock().unwrap();
///         let found = table.get(name).map(|(bytes, since)| StoredBytes { bytes: bytes.clone(), age: since.elapsed() });
///         Box::pin(ready(Ok(found)))
///     }
/// }
///
/// let store = ResultStore::on(Table::default());
/// ```
pub trait ResultStorage: Send + Sync {
    /// Stores bytes under this name, atomically, replacing what is there.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>>;

    /// Returns the bytes of this name and their age, or `None`.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<StoredBytes>>>;
}

/// A [`ResultStorage`] whose size and age the store limits: the store lists it at first use, and deletes entries.
///
/// A directory on this machine is one. Each process that uses the storage counts only the entries that it has listed or seen
/// since.
///
/// ```
/// # use std::io;
/// # use bytes::Bytes;
/// # use tool_core::BoxFuture;
/// # use tool_core::results::{ResultStorage, StoredBytes};
/// # struct Table;
/// # impl ResultStorage for Table {
/// #     fn put<'a>(&'a self, _: &'a str, _: Bytes) -> BoxFuture<'a, io::Result<()>> {
/// #         Box::pin(async { Ok(()) })
/// #     }
/// #     fn get<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
/// #         Box::pin(async { Ok(None) })
/// #     }
/// # }
/// use tool_core::results::{ManagedStorage, ResultStore, StoredObject};
///
/// impl ManagedStorage for Table {
///     fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
///         Box::pin(async move { Ok(println!("DELETE FROM results WHERE name = '{name}'")) })
///     }
///     fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
///         Box::pin(async { Ok(Vec::new()) })
///     }
/// }
///
/// let store = ResultStore::managing(Table);
/// ```
pub trait ManagedStorage: ResultStorage {
    /// Deletes the bytes of this name. It is not an error if there are none.
    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>>;

    /// Lists what is stored, including results of earlier processes.
    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>>;
}

/// The bytes of an entry in a [`ResultStorage`].
///
/// ```
/// use tool_core::results::StoredBytes;
///
/// let stored = StoredBytes { bytes: "text".into(), age: std::time::Duration::ZERO };
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBytes {
    /// The bytes.
    pub bytes: Bytes,
    /// How long they have been stored; zero if the clock is inconsistent.
    pub age: Duration,
}

/// An entry in the list of a [`ManagedStorage`].
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
