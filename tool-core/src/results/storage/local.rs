//! Results in a local directory.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use object_store::local::LocalFileSystem;

use crate::model::digest::Digest;
use crate::model::future::BoxFuture;
use crate::results::storage::objects::Objects;
use crate::results::storage::{ManagedStorage, StoredBytes, StoredObject};

/// A private directory with one file for each result, in a directory for each caller.
pub(crate) struct Local {
    root: PathBuf,
    files: Objects<LocalFileSystem>,
}

/// The age from which a temporary file counts as left behind by a process that ended while writing.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

impl Local {
    /// Opens a directory, and creates it if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be created, is not a directory, or is accessible to other users.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        make(root)?;
        let root = fs::canonicalize(root)?;
        let metadata = fs::metadata(&root)?;
        if !metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is no directory"));
        }
        closed_to_others(&metadata)?;
        let files = LocalFileSystem::new_with_prefix(&root).map_err(io::Error::other)?;
        Ok(Local { root, files: Objects(files) })
    }
}

impl ManagedStorage for Local {
    fn put<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            // Creates the directory again with private permissions if it was deleted meanwhile.
            let root = self.root.clone();
            off_the_threads(move || make(&root)).await?;
            self.files.put(name, bytes).await
        })
    }

    fn get<'a>(&'a self, name: &'a str, most: u64) -> BoxFuture<'a, io::Result<Option<StoredBytes>>> {
        Box::pin(async move {
            let path = self.root.join(name);
            if !off_the_threads(move || is_own_file(&path)).await? {
                return Ok(None);
            }
            self.files.get(name, most).await
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<()>> {
        self.files.delete(name)
    }

    fn list(&self) -> BoxFuture<'_, io::Result<Vec<StoredObject>>> {
        Box::pin(async move {
            let root = self.root.clone();
            let tidied = move || {
                tidy(&root);
                Ok(())
            };
            off_the_threads(tidied).await?;
            self.files.list().await
        })
    }
}

/// Creates a directory and its parents for this user only.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

#[cfg(unix)]
fn closed_to_others(metadata: &fs::Metadata) -> io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let message = format!("others may look into it (mode {mode:o}): make it 700, or take another directory");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

#[cfg(not(unix))]
fn closed_to_others(_: &fs::Metadata) -> io::Result<()> {
    // Directories of a user are private on this platform.
    Ok(())
}

/// Returns `true` if this is a regular file with a single name. A link, a device or a pipe is not one of ours, and opening it
/// might block.
fn is_own_file(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => {
            let is_own = metadata.is_file() && has_one_name(&metadata);
            if !is_own {
                tracing::warn!(?path, "a stored result is ignored: it is not a regular file with one link");
            }
            Ok(is_own)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn has_one_name(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) == 1
}

#[cfg(not(unix))]
fn has_one_name(_: &fs::Metadata) -> bool {
    true
}

/// Removes temporary files and empty directories that were left behind. Errors are ignored.
fn tidy(root: &Path) {
    for directory in fs::read_dir(root).into_iter().flatten().flatten() {
        // Links and directories with other names are not ours.
        let is_own = directory.file_name().to_str().is_some_and(is_of_a_result);
        if !is_own || !directory.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        for file in fs::read_dir(directory.path()).into_iter().flatten().flatten() {
            // `object_store` writes to `name#1` and renames.
            let name = file.file_name();
            let whole = name.to_str().and_then(|name| name.split_once('#')).map(|(whole, _)| whole);
            let is_partial = whole.is_some_and(is_of_a_result);
            let age = file.metadata().and_then(|metadata| metadata.modified()).map(|then| then.elapsed());
            if is_partial && !matches!(age, Ok(Ok(age)) if age < LEFT_BEHIND) {
                let _ = fs::remove_file(file.path());
            }
        }
        // Fails unless the directory is empty.
        let _ = fs::remove_dir(directory.path());
    }
}

/// Returns `true` if this can be the name of a caller's directory or of a result.
fn is_of_a_result(name: &str) -> bool {
    name.parse::<Digest>().is_ok_and(|digest| digest.hex() == name)
}

/// Runs a function on a blocking thread.
async fn off_the_threads<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match tokio::runtime::Handle::try_current() {
        Ok(runtime) => runtime.spawn_blocking(work).await.map_err(io::Error::other)?,
        Err(_) => work(),
    }
}
