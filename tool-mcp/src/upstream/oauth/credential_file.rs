//! The file with the tokens.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// The file that holds the tokens of all servers: one entry for each server and account.
///
/// It is created with mode 0600 and replaced as a whole. A file that other users can access is refused. Several
/// processes can share it; files with `.lock` in their names beside it coordinate them.
///
/// On Windows, the file has the permissions of its folder, which should be in the profile of the user.
///
/// ```
/// use tool_mcp::upstream::{CredentialFile, OAuth, Upstream, Upstreams};
///
/// let notes = Upstream::url("notes", "https://notes.example.org/mcp").oauth(OAuth::new());
/// let file = CredentialFile::new("/home/ada/.local/state/example/credentials.json");
/// let upstreams = Upstreams::builder().server(notes).credentials(file).build()?;
/// # Ok::<(), tool_mcp::upstream::UpstreamsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CredentialFile {
    path: Arc<Path>,
}

/// The reason why the tokens cannot be read or stored.
///
/// ```
/// use tool_mcp::upstream::CredentialsError;
///
/// let error = CredentialsError::Exposed { path: "credentials.json".into(), mode: 0o644 };
/// assert!(error.to_string().contains("`chmod 600 credentials.json`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// Other users can access the file.
    #[error(
        "the credential file `{path}` is accessible to other users (mode {mode:04o}): run `chmod 600 {path}`, and sign in \
         again if others may have read it",
        path = .path.display()
    )]
    Exposed {
        /// The path of the file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file has another format.
    #[error(
        "the credential file `{path}` is not in the expected format ({reason}): delete it, and sign in again",
        path = .path.display()
    )]
    Malformed {
        /// The path of the file.
        path: PathBuf,
        /// What is wrong, without the content.
        reason: String,
    },
    /// The file, or a lock file beside it, cannot be read or written.
    #[error("the credential file `{path}` cannot be used: {source}", path = .path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// The format of the file.
#[derive(Serialize, Deserialize)]
struct Content {
    version: u32,
    accounts: Vec<Entry>,
}

/// The credentials of one account.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The URL of the server.
    pub(super) server: String,
    pub(super) account: String,
    /// The secret of a client that was registered dynamically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    #[serde(flatten)]
    pub(super) credentials: StoredCredentials,
}

/// Differs whenever the file was replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileVersion {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

/// A lock that is released on drop.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: File,
}

const FORMAT_VERSION: u32 = 1;

/// The maximum size of the file.
const MAX_BYTES: u64 = 4 << 20;

/// How long to wait for another process that changes the file, or refreshes the same token.
const MAX_WAIT: Duration = Duration::from_secs(60);

impl CredentialFile {
    /// Uses this file. It is created, together with its folder, when tokens are first stored.
    ///
    /// ```
    /// use tool_mcp::upstream::CredentialFile;
    ///
    /// let file = CredentialFile::new("credentials.json");
    /// assert_eq!(file.path(), std::path::Path::new("credentials.json"));
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        CredentialFile { path: path.into().into() }
    }

    /// Returns the path of the file.
    ///
    /// ```
    /// # use tool_mcp::upstream::CredentialFile;
    /// assert!(CredentialFile::new("a/credentials.json").path().ends_with("credentials.json"));
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the version of the file, or `None` if it does not exist.
    pub(super) fn version(&self) -> Result<Option<FileVersion>, CredentialsError> {
        match std::fs::metadata(&self.path) {
            Ok(metadata) => Ok(Some(FileVersion {
                modified: metadata.modified().ok(),
                length: metadata.len(),
                inode: inode(&metadata),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io(error)),
        }
    }

    /// Reads the entry of an account.
    pub(super) fn entry(&self, server: &str, account: &str) -> Result<Option<Entry>, CredentialsError> {
        let entries = self.read()?;
        Ok(entries.into_iter().find(|entry| entry.server == server && entry.account == account))
    }

    fn read(&self) -> Result<Vec<Entry>, CredentialsError> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.io(error)),
        };
        let metadata = file.metadata().map_err(|error| self.io(error))?;
        if let Some(mode) = exposed_mode(&metadata) {
            return Err(CredentialsError::Exposed { path: self.path.to_path_buf(), mode });
        }
        if metadata.len() > MAX_BYTES {
            return Err(self.malformed(format!("it has more than {MAX_BYTES} bytes")));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| self.io(error))?;
        // The text of the error may have a part of a token, its position does not.
        let content: Content = serde_json::from_str(&text).map_err(|error| {
            self.malformed(format!("at line {}, column {}", error.line(), error.column()))
        })?;
        if content.version != FORMAT_VERSION {
            return Err(self.malformed(format!("its version is {}", content.version)));
        }
        Ok(content.accounts)
    }

    /// Changes the entries. Other processes wait meanwhile.
    pub(super) fn update(&self, change: impl FnOnce(&mut Vec<Entry>)) -> Result<(), CredentialsError> {
        self.make_folder()?;
        let lock = self.open_lock("lock")?;
        lock.lock().map_err(|error| self.io(error))?;
        let mut accounts = self.read()?;
        change(&mut accounts);
        let content = Content { version: FORMAT_VERSION, accounts };
        let json = serde_json::to_vec_pretty(&content).map_err(|error| self.io(error.into()))?;
        // The temporary file has mode 0600 from the beginning.
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(self.folder())?;
            file.write_all(&json)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)
        };
        write().map_err(|error| self.io(error))?;
        Ok(())
    }

    /// Waits until no other task or process refreshes the tokens of this server, and prevents it until the lock is
    /// dropped.
    pub(super) async fn lock_server(&self, server: &str) -> Result<FileLock, CredentialsError> {
        self.make_folder()?;
        // Two servers with the same name of the lock only wait for each other.
        let name: String =
            server.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(80).collect();
        let file = self.open_lock(&format!("{name}.lock"))?;
        let deadline = Instant::now() + MAX_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(FileLock { _file: file }),
                Err(TryLockError::Error(error)) => return Err(self.io(error)),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                    return Err(self.io(io::Error::new(
                        io::ErrorKind::TimedOut,
                        format!("another process has locked it for {MAX_WAIT:?}"),
                    )));
                }
                Err(TryLockError::WouldBlock) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn open_lock(&self, suffix: &str) -> Result<File, CredentialsError> {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{suffix}"));
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(self.folder().join(name)).map_err(|error| self.io(error))
    }

    fn make_folder(&self) -> Result<(), CredentialsError> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(self.folder()).map_err(|error| self.io(error))
    }

    fn folder(&self) -> &Path {
        let parent = self.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.unwrap_or(Path::new("."))
    }

    fn io(&self, source: io::Error) -> CredentialsError {
        CredentialsError::Io { path: self.path.to_path_buf(), source }
    }

    fn malformed(&self, reason: String) -> CredentialsError {
        CredentialsError::Malformed { path: self.path.to_path_buf(), reason }
    }
}

/// Returns the permissions of a file if other users can access it.
#[cfg(unix)]
fn exposed_mode(metadata: &std::fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn exposed_mode(_metadata: &std::fs::Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests;
