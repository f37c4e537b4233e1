//! Why a measurement could not be made.

use std::io;
use std::path::{Path, PathBuf};

/// Why a measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{command}` cannot be started: {source}")]
    Start { command: String, source: io::Error },
    #[error("`{command}` failed:\n{output}")]
    Command { command: String, output: String },
    #[error("`{command}` compiled {compiled:?}, and `{leaf}` alone was to be measured")]
    NotTheLeafAlone { command: String, compiled: Vec<String>, leaf: String },
    #[error("`{leaf}` answers {answer:?}, and the bare functions {expected:?}: they do not do the same")]
    OtherAnswer { leaf: String, answer: String, expected: String },
    #[error(
        "{package} is not in the committed lock file: run `cargo check -p benches` and commit Cargo.lock"
    )]
    NotLocked { package: String },
    #[error("{}: no line `{marker}`", path.display())]
    NoMarker { path: PathBuf, marker: String },
    #[error("`{command}` left nothing like {expected}")]
    Unreadable { command: String, expected: &'static str },
    #[error("another measurement is running")]
    Busy,
    #[error("the processor time of child processes cannot be read: {0}")]
    Usage(nix::Error),
}

impl Error {
    pub(crate) fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        Error::Io { path: path.as_ref().to_owned(), source }
    }
}
