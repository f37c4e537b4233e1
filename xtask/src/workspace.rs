//! Where things lie.

use std::path::PathBuf;

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package.parent().map_or_else(|| package.clone(), PathBuf::from)
}

/// The program that cargo built from the package of this name.
///
/// It stands beside this very program, wherever the target folder was put.
pub(crate) fn binary(name: &str) -> std::io::Result<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// The folder in which cargo builds, wherever it was put: this very program stands in one of its profiles.
pub(crate) fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().nth(2).map_or_else(|| root().join("target"), PathBuf::from)
}

/// Whether a machine runs this, and not a person.
pub(crate) fn on_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}
