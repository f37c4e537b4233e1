//! The errors of `serve NAME --install CLIENT`, with their texts.

use std::io;
use std::path::PathBuf;

use crate::install::client::Client;
use crate::install::entry::EditError;

/// Why a server is not added to a client.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    #[error("cannot find the path of this program: {0}")]
    Program(io::Error),
    #[error("the path of this program is not UTF-8: `{}`", .0.display())]
    ProgramNotUtf8(PathBuf),
    #[error("cannot find the folder of the user\nhelp: set the environment variable `{}`", if cfg!(windows) { "USERPROFILE" } else { "HOME" })]
    NoUserFolder,
    #[error("{} has no configuration for one project\nhelp: leave out `--project`", .0.as_str())]
    NoProjectFile(Client),
    #[error("cannot find the current folder: {0}")]
    CurrentFolder(io::Error),
    #[error("`{}` {error}", path.display())]
    Edit { path: PathBuf, error: EditError },
    #[error("`{}` is not UTF-8", .0.display())]
    NotUtf8(PathBuf),
    #[error("`{}` is not a file", .0.display())]
    NotFile(PathBuf),
    #[error("`{}` is a symbolic link to a file that does not exist", .0.display())]
    DanglingLink(PathBuf),
    #[error("`{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    #[error("`{}` was changed by another program\nhelp: run the command again", .0.display())]
    Changed(PathBuf),
    #[error("cannot read `{}`: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write `{}`: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
}
