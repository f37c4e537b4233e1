//! Metadata and manifests of the workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cargo_metadata::{Metadata, MetadataCommand, Package};

/// The published crates, from the bottom to the top.
pub(crate) const LIBRARIES: [&str; 9] = [
    "tool-core-macros",
    "tool-core",
    "tool-serve",
    "tool-http",
    "tool-mcp",
    "tool-cli",
    "tool-oauth",
    "tool-tasks",
    "tool-replicas",
];

// Without dependencies: those of other platforms may be missing here.
static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).no_deps();
    command.other_options(["--locked".to_owned(), "--offline".to_owned()]).exec().unwrap()
});

/// Returns the folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the cargo that runs this test, in the folder of the workspace.
pub(crate) fn cargo() -> Command {
    let mut cargo = fixture_cargo::cargo();
    cargo.current_dir(root());
    cargo
}

/// Returns the packages of the workspace.
pub(crate) fn members() -> impl Iterator<Item = &'static Package> {
    METADATA.packages.iter()
}

/// Returns a package of the workspace by name.
pub(crate) fn member(name: &str) -> &'static Package {
    members().find(|package| package.name == name).unwrap_or_else(|| panic!("no package is named `{name}`"))
}

/// Returns `true` if a package of this name is in the workspace.
pub(crate) fn is_member(name: &str) -> bool {
    members().any(|package| package.name == name)
}

/// Reads a TOML file of the workspace.
pub(crate) fn toml(path: impl AsRef<Path>) -> toml::Table {
    let text = read(path.as_ref());
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// Reads a file of the workspace.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads a file of the workspace, if it exists.
pub(crate) fn read_if_present(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// Returns every Rust file under the `src` of a package.
pub(crate) fn sources(package: &Package) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&package.manifest_path.parent().unwrap().join("src").into_std_path_buf(), &mut found);
    found.sort();
    found
}

/// Returns every Rust file of the workspace.
pub(crate) fn rust_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in members().map(|package| package.manifest_path.parent().unwrap()) {
        // Folders of packages within another one are found twice.
        collect(folder.as_std_path(), &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_built = path.file_name().is_some_and(|name| name == "target" || name == "node_modules");
        if path.is_dir() && !is_built {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
