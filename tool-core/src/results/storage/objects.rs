//! A storage on top of `object_store`.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt as _};

use crate::model::future::BoxFuture;
use crate::results::storage::{ManagedStorage, StoredBytes, StoredObject};

/// A storage of `object_store`. The types of that crate are used in this folder only.
pub(crate) struct Objects<S>(pub(super) S);

impl<S: ObjectStore> ManagedStorage for Objects<S> {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        // On a disk, `object_store` writes a temporary file and renames it.
        Box::pin(async move { self.0.put(&path(name)?, bytes.into()).await.map(drop).map_err(failed) })
    }

    fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        Box::pin(async move {
            let path = path(name)?;
            let found = match self.0.get(&path).await {
                Ok(found) if found.meta.size > most => return Err(io::ErrorKind::FileTooLarge.into()),
                Ok(found) => found,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            let age = age(found.meta.last_modified.timestamp_millis());
            match found.bytes().await {
                Ok(bytes) => Ok(Some(StoredBytes { bytes, age })),
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(failed(error)),
            }
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            match self.0.delete(&path(name)?).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(failed(error)),
            }
        })
    }

    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
        Box::pin(async move {
            let all: Vec<ObjectMeta> = self.0.list(None).try_collect().await.map_err(failed)?;
            let object = |object: ObjectMeta| StoredObject {
                name: object.location.to_string(),
                bytes: object.size,
                age: age(object.last_modified.timestamp_millis()),
            };
            Ok(all.into_iter().map(object).collect())
        })
    }
}

/// Returns the age of an entry that was written at this Unix time in milliseconds; zero if that is in the future.
fn age(modified: i64) -> Duration {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let modified = u64::try_from(modified).map(Duration::from_millis).unwrap_or_default();
    now.saturating_sub(modified)
}

fn path(name: &str) -> io::Result<Path> {
    Path::parse(name).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))
}

fn failed(error: Error) -> io::Error {
    io::Error::other(error)
}
