//! The errors of `publish`, with their texts.

use std::io;
use std::path::PathBuf;

/// Why a file is not published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    #[error("the application has no {what}\nhelp: set it with `{method}`")]
    Missing { what: &'static str, method: &'static str },
    #[error("the {what} `{value}` {reason}")]
    Invalid { what: &'static str, value: String, reason: &'static str },
    #[error("the {what} has {length} characters, and the limit is {limit}")]
    TooLong { what: &'static str, length: usize, limit: usize },
    #[error("cannot read `{}`: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write `{}`: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("`{}` exists and differs\nhelp: add `--yes` to replace it", .0.display())]
    Exists(PathBuf),
    #[error("cannot build the bundle: {0}")]
    Bundle(rawzip::Error),
    #[error("cannot find the path of this program: {0}")]
    Program(io::Error),
}
