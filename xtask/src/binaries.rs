//! The programs of the workspace that steps run.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::process::Invocation;
use crate::workspace;

/// Returns a build of parts of the workspace with the features that the step `test` builds everything with. Other features would
/// build most dependencies again: with a test among the targets, those of tests are enabled.
pub(crate) fn build() -> Invocation {
    Invocation::cargo(["build", "--workspace", "--locked", "--test", "house"])
}

/// Builds programs, and returns their paths.
pub(crate) fn built<const N: usize>(names: [&str; N]) -> Result<[PathBuf; N], Failure> {
    let build = names.iter().fold(build(), |build, name| build.arguments(["--bin", name]));
    build.announce().run()?;
    let mut paths = names.map(PathBuf::from);
    for (path, name) in paths.iter_mut().zip(names) {
        *path = path_of(name)?;
    }
    Ok(paths)
}

/// Returns the path of something beside this program: one that was built, or a folder.
pub(crate) fn path_of(name: &str) -> Result<PathBuf, Failure> {
    workspace::binary(name)
        .map_err(|source| Failure::File { path: "the folder of this program".to_owned(), source })
}
