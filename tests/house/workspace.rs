//! The workspace as cargo sees it, and as its manifests are written.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cargo_metadata::{Metadata, MetadataCommand, Package};

/// The crates that are published, from the bottom to the top.
pub(crate) const LIBRARIES: [&str; 6] =
    ["tool-macros", "tool-core", "tool-serve", "tool-http", "tool-mcp", "tool-cli"];

// Without dependencies: those of other platforms need not be on this machine.
static METADATA: LazyLock<Metadata> = LazyLock::new(|| {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).no_deps();
    command.other_options(["--locked".to_owned(), "--offline".to_owned()]).exec().unwrap()
});

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The cargo that runs this test, started in the folder of the workspace.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// The packages of the workspace.
pub(crate) fn members() -> impl Iterator<Item = &'static Package> {
    METADATA.packages.iter()
}

/// A package of the workspace by its name.
pub(crate) fn member(name: &str) -> &'static Package {
    members().find(|package| package.name == name).unwrap_or_else(|| panic!("no package is named `{name}`"))
}

/// Whether a dependency of this name is a package of the workspace.
pub(crate) fn is_member(name: &str) -> bool {
    members().any(|package| package.name == name)
}

/// A file of the workspace in TOML.
pub(crate) fn toml(path: impl AsRef<Path>) -> toml::Table {
    let text = read(path.as_ref());
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// A file of the workspace.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of Rust under the `src` of a package, relative to it.
pub(crate) fn sources(package: &Package) -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&package.manifest_path.parent().unwrap().join("src").into_std_path_buf(), &mut found);
    found.sort();
    found
}
