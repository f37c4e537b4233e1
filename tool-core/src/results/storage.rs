//! The storage of results.

#[cfg(feature = "results")]
mod local;
#[cfg(feature = "results")]
mod memory;
#[cfg(feature = "results")]
mod objects;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

#[cfg(feature = "results")]
pub(crate) use local::Local;
#[cfg(feature = "results")]
pub(crate) use memory::memory;

use crate::model::future::BoxFuture;

/// A storage of results that several processes share, and that deletes old entries itself, such as a bucket with a lifecycle rule.
///
/// Each process reads what the others have stored. A [`ResultStore`](crate::results::ResultStore) on a shared storage never lists it,
/// deletes nothing, and ignores entries that are older than [its age](crate::results::ResultLimits::age). If the store should limit
/// size and age, implement [`ManagedStorage`] instead.
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
/// use tool_core::results::{ResultStore, SharedStorage, StoredBytes};
///
/// #[derive(Default)]
/// struct Table(Mutex<HashMap<String, (Bytes, Instant)>>);
///
/// impl SharedStorage for Table {
///     fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
///         self.0.lock().unwrap().insert(name.to_owned(), (bytes, Instant::now()));
///         Box::pin(ready(Ok(())))
///     }
///     fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
///         let table = self.0.lock().unwrap();
///         let found = match table.get(name) {
///             Some((bytes, _)) if bytes.len() as u64 > most => Err(io::ErrorKind::FileTooLarge.into()),
///             found => Ok(found.map(|(bytes, since)| StoredBytes { bytes: bytes.clone(), age: since.elapsed() })),
///         };
///         Box::pin(ready(found))
///     }
/// }
///
/// let store = ResultStore::shared(Table::default());
/// ```
pub trait SharedStorage: Send + Sync {
    /// Stores bytes under this name, atomically, replacing what is there.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>>;

    /// Returns the bytes of this name and their age, or `None`.
    ///
    /// # Errors
    ///
    /// If the storage fails. If there are more than `most` bytes, the kind is [`FileTooLarge`](io::ErrorKind::FileTooLarge), and they
    /// are not read into memory.
    fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>>;
}

/// A storage of results whose size and age the [`ResultStore`](crate::results::ResultStore) limits: the store lists it at first use,
/// and deletes entries.
///
/// A directory on this machine is one. Each process that uses the storage counts only the entries that it has listed or seen
/// since. Names and bytes are those of a [`SharedStorage`].
///
/// ```
/// # use std::io;
/// # use bytes::Bytes;
/// # use tool_core::BoxFuture;
/// # struct Table;
/// use tool_core::results::{ManagedStorage, ResultStore, StoredBytes, StoredObject};
///
/// impl ManagedStorage for Table {
/// #   fn put<'a>(&'a self, _: &'a str, _: Bytes) -> BoxFuture<'a, io::Result<()>> {
/// #       Box::pin(async { Ok(()) })
/// #   }
/// #   fn get<'a>(&'a self, _: &'a str, _: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
/// #       Box::pin(async { Ok(None) })
/// #   }
///     // `put` and `get` as for a shared storage, and:
///     fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
///         Box::pin(async move { Ok(println!("DELETE FROM results WHERE name = '{name}'")) })
///     }
///     fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
///         Box::pin(async { Ok(Vec::new()) })
///     }
/// }
///
/// let store = ResultStore::managed(Table);
/// ```
pub trait ManagedStorage: Send + Sync {
    /// Stores bytes under this name, atomically, replacing what is there.
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>>;

    /// Returns the bytes of this name and their age, or `None`.
    ///
    /// # Errors
    ///
    /// If the storage fails. If there are more than `most` bytes, the kind is [`FileTooLarge`](io::ErrorKind::FileTooLarge), and they
    /// are not read into memory.
    fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>>;

    /// Deletes the bytes of this name. It is not an error if there are none.
    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>>;

    /// Lists what is stored, including results of earlier processes.
    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>>;
}

/// The storage of a store.
#[derive(Clone)]
pub(super) enum Storage {
    Shared(Arc<dyn SharedStorage>),
    Managed(Arc<dyn ManagedStorage>),
}

impl Storage {
    pub(super) fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        match self {
            Storage::Shared(storage) => storage.put(name, bytes),
            Storage::Managed(storage) => storage.put(name, bytes),
        }
    }

    pub(super) fn get<'a>(
        &'a self,
        name: &'a str,
        most: u64,
    ) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        match self {
            Storage::Shared(storage) => storage.get(name, most),
            Storage::Managed(storage) => storage.get(name, most),
        }
    }

    /// Returns the storage, if the store limits its size and age.
    pub(super) fn managed(&self) -> Option<&dyn ManagedStorage> {
        match self {
            Storage::Shared(_) => None,
            Storage::Managed(storage) => Some(&**storage),
        }
    }
}

/// The bytes of an entry in a storage.
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
