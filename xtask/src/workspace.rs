//! Paths of the workspace.

use std::path::PathBuf;

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package.parent().map_or_else(|| package.clone(), PathBuf::from)
}

/// Returns the path of the program that cargo built from this package.
///
/// It stands beside this very program, wherever the target folder was put.
pub(crate) fn binary(name: &str) -> std::io::Result<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Returns the target folder, which contains this program.
pub(crate) fn target() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().nth(2).map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns `true` on CI.
pub(crate) fn on_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false")
}
