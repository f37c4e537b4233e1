//! Writes files so that readers find either the old content or the new one.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;

/// How many names are tried for a temporary file.
const ATTEMPTS: u32 = 64;

/// Who may read and write a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access<'m> {
    /// Whoever the system lets by default.
    Default,
    /// Only its owner.
    #[cfg(feature = "install")]
    Private,
    /// Those who may read and write the file with this metadata, which has the same owner.
    Like(&'m Metadata),
}

impl<'m> Access<'m> {
    /// Returns the access of a file that exists, and the default otherwise.
    pub(crate) fn of(metadata: Option<&'m Metadata>) -> Self {
        metadata.map_or(Access::Default, Access::Like)
    }
}

/// Writes a file beside its place, and moves it there when it is on the disk. A link to a file stays one.
///
/// # Errors
///
/// Also if there is something else than a file, such as a device.
pub(crate) fn write(path: &Path, bytes: &[u8], access: Access<'_>) -> io::Result<()> {
    let path = &place(path)?;
    let temporary = create_temporary(path, bytes, access)?;
    if let Err(error) = fs::rename(&temporary, path) {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(path);
    Ok(())
}

/// Returns the path without links, if there is a file or nothing.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::canonicalize(path),
        Ok(_) => Err(io::Error::other("it is not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(error),
    }
}

/// Creates a file that does not exist yet.
pub(crate) fn create(path: &Path, bytes: &[u8], access: Access<'_>) -> io::Result<()> {
    let file = options(access).open(path)?;
    let result = fill(file, bytes, access);
    if result.is_err() {
        let _ = fs::remove_file(path);
    }
    result
}

fn create_temporary(path: &Path, bytes: &[u8], access: Access<'_>) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    for attempt in 0..ATTEMPTS {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{attempt}.tmp", process::id()));
        let temporary = path.with_file_name(temporary);
        match create(&temporary, bytes, access) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            result => return result.map(|()| temporary),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn options(access: Access<'_>) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if !matches!(access, Access::Default) {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = access;
    options
}

fn fill(mut file: File, bytes: &[u8], access: Access<'_>) -> io::Result<()> {
    file.write_all(bytes)?;
    if let Access::Like(metadata) = access {
        #[cfg(unix)]
        set_owner(&file, metadata)?;
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()
}

#[cfg(unix)]
fn set_owner(file: &File, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let current = file.metadata()?;
    if (current.uid(), current.gid()) == (metadata.uid(), metadata.gid()) {
        return Ok(());
    }
    fchown(file, Some(metadata.uid()), Some(metadata.gid()))
}

/// Makes the move last, where the system can.
fn sync_folder(path: &Path) {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_file_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, b"1", Access::Default).unwrap();
        let first = fs::metadata(&path).unwrap();
        write(&path, b"2", Access::of(Some(&first))).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2");
        assert!(create(&path, b"3", Access::Default).is_err());
        fs::create_dir_all(folder.path().join("b").join("c")).unwrap();
        assert!(write(&folder.path().join("b"), b"4", Access::Default).is_err(), "a folder is not replaced");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(fs::read(&path).unwrap(), b"2");
    }

    #[cfg(unix)]
    #[test]
    fn writes_through_links_and_to_no_device() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "1").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"2", Access::Default).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"2");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let error = write(&socket, b"3", Access::Default).unwrap_err();
        assert_eq!(error.to_string(), "it is not a regular file");
    }
}
