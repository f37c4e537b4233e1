//! The generated workspace: leaf crates that depend on this repository, with the committed versions of everything.
//!
//! It lies under `target/benches`, apart from the repository's own workspace, so that a leaf crate is built with
//! cargo's own profiles, and with the features that it asks for and no others. All leaf crates share one target folder:
//! what they depend on is built once.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cost;
use crate::error::Error;
use crate::leaf::Leaf;

const SUPPORT: [(&str, &str, &str); 3] = [
    ("runtime", "tokio = { workspace = true, features = [\"rt\"] }\n", include_str!("../support/runtime.rs")),
    (
        "peer",
        "rmcp = { workspace = true, features = [\"macros\", \"server\", \"transport-io\", \"transport-streamable-http-server\"] }\n\
         serde_json.workspace = true\n\
         tokio = { workspace = true, features = [\"io-util\", \"rt\"] }\n",
        include_str!("../support/peer.rs"),
    ),
    (
        "transport",
        "axum = { workspace = true }\n\
         tokio = { workspace = true, features = [\"macros\", \"net\", \"rt\"] }\n",
        include_str!("../support/mcp/transport.rs"),
    ),
];

/// Where `benches/peers` has its generated workspace, and what it supports its leaf crates with.
const PEERS: &str = "peers";
const OF_PEERS: [&str; 1] = ["transport"];

/// The folder of the generated workspace.
#[derive(Debug)]
pub(crate) struct Workspace {
    folder: PathBuf,
    /// The folder of the committed lock file.
    origin: PathBuf,
    /// Locked for as long as this measurement runs.
    _lock: File,
}

impl Workspace {
    /// Makes the folder anew; what was built in it stays.
    pub(crate) fn open() -> Result<Self, Error> {
        let root = repository();
        Workspace::make(root.join("target/benches"), root.to_owned(), &SUPPORT.map(|(name, ..)| name))
    }

    /// Makes a workspace in a folder of its own, in which nothing else is built.
    pub(crate) fn open_in(name: &str) -> Result<Self, Error> {
        let root = repository();
        // As deep as the other one, for the paths of the crates of this repository.
        Workspace::make(root.join("target").join(format!("benches-{name}")), root.to_owned(), &["runtime"])
    }

    /// Makes the workspace of the crates that only `benches/peers` depends on, with the versions of its own lock file.
    pub(crate) fn open_peers() -> Result<Self, Error> {
        let root = repository();
        Workspace::make(root.join("target/benches").join(PEERS), root.join("benches").join(PEERS), &OF_PEERS)
    }

    fn make(folder: PathBuf, origin: PathBuf, support: &[&str]) -> Result<Self, Error> {
        let lock = lock(&folder)?;
        for part in ["leaves", "support"] {
            let part = folder.join(part);
            if part.exists() {
                fs::remove_dir_all(&part).map_err(|source| Error::io(&part, source))?;
            }
        }
        let workspace = Workspace { folder, origin, _lock: lock };
        let manifest = manifest(&read(&workspace.origin.join("Cargo.toml"))?);
        write(&workspace.folder.join("Cargo.toml"), &manifest)?;
        write(&workspace.folder.join("Cargo.lock"), &read(&workspace.origin.join("Cargo.lock"))?)?;
        for (name, dependencies, source) in SUPPORT.into_iter().filter(|(name, ..)| support.contains(name)) {
            let folder = workspace.folder.join("support").join(name);
            write(&folder.join("Cargo.toml"), &package(name, dependencies))?;
            write(&folder.join("src/lib.rs"), source)?;
        }
        Ok(workspace)
    }

    /// Adds a leaf crate with its source; all are added before [`lock`](Self::lock).
    pub(crate) fn leaf(&self, name: &str, dependencies: &str, source: &str) -> Result<Leaf, Error> {
        let folder = self.folder.join("leaves").join(name);
        write(&folder.join("Cargo.toml"), &package(name, dependencies))?;
        let leaf = Leaf::new(name, folder.join("src/main.rs"));
        leaf.write(source)?;
        Ok(leaf)
    }

    /// Lets cargo add the leaf crates to the lock file and fetch what they need, and refuses any version that is not
    /// committed.
    pub(crate) fn lock(&self) -> Result<(), Error> {
        cost::run(self.cargo().arg("fetch"))?;
        let committed = read(&self.origin.join("Cargo.lock"))?;
        let taken = read(&self.folder.join("Cargo.lock"))?;
        let committed: HashSet<_> = locked(&committed).collect();
        match locked(&taken).find(|package| !committed.contains(package)) {
            Some((name, version)) => Err(Error::NotLocked { package: format!("{name} {version}") }),
            None => Ok(()),
        }
    }

    /// The version of a package that is measured.
    pub(crate) fn version(&self, name: &str) -> Result<String, Error> {
        let lock = read(&self.folder.join("Cargo.lock"))?;
        let found = locked(&lock).find(|(package, _)| *package == name);
        let (_, version) = found.ok_or_else(|| Error::NotLocked { package: name.to_owned() })?;
        Ok(version.to_owned())
    }

    /// A cargo that takes no setting from the environment but what it needs to run.
    pub(crate) fn cargo(&self) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        for (name, _) in std::env::vars_os() {
            let settings = [
                "CARGO_BUILD_",
                "CARGO_INCREMENTAL",
                "CARGO_PROFILE_",
                "CARGO_ENCODED_",
                "RUSTC",
                "RUSTFLAGS",
            ];
            if settings.iter().any(|setting| name.to_string_lossy().starts_with(setting)) {
                cargo.env_remove(name);
            }
        }
        cargo.current_dir(&self.folder).env("CARGO_TARGET_DIR", self.target());
        cargo
    }

    /// Where all leaf crates are built.
    pub(crate) fn target(&self) -> PathBuf {
        self.folder.join("target")
    }
}

/// The folder of the repository.
pub(crate) fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// Makes sure that this is the only measurement: two would change each other's crates, and slow each other down.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join("running");
    write(&path, "")?;
    let file = File::open(&path).map_err(|source| Error::io(&path, source))?;
    file.try_lock().map_err(|_| Error::Busy)?;
    Ok(file)
}

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::io(path, source))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|source| Error::io(folder, source))?;
    fs::write(path, text).map_err(|source| Error::io(path, source))
}

/// A workspace with the dependencies of the repository's own, cargo's own profiles, and that for programs that start fast.
fn manifest(root: &str) -> String {
    let table = root.lines().skip_while(|line| *line != "[workspace.dependencies]").skip(1);
    let table = table.take_while(|line| !line.starts_with('['));
    let dependencies: String =
        table.map(|line| line.replace("path = \"", "path = \"../../") + "\n").collect();
    format!(
        "[workspace]\n\
         resolver = \"3\"\n\
         members = [\"leaves/*\", \"support/*\"]\n\n\
         [profile.fast]\n\
         inherits = \"release\"\n\
         lto = \"fat\"\n\
         codegen-units = 1\n\n\
         [workspace.dependencies]\n\
         {dependencies}"
    )
}

fn package(name: &str, dependencies: &str) -> String {
    format!(
        "[package]\n\
         name = \"{name}\"\n\
         version = \"0.0.0\"\n\
         edition = \"2024\"\n\
         publish = false\n\n\
         [dependencies]\n\
         {dependencies}"
    )
}

/// Name and version of every package of a lock file that comes from elsewhere.
fn locked(lock: &str) -> impl Iterator<Item = (&str, &str)> {
    lock.split("[[package]]").filter(|package| package.contains("\nsource = ")).filter_map(|package| {
        let value = |key| package.lines().find_map(|line| line.strip_prefix(key)?.strip_suffix('"'));
        Some((value("name = \"")?, value("version = \"")?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_only_the_dependencies() {
        let root = "[workspace]\nmembers = [\"a\"]\n\n[workspace.dependencies]\nserde = \"1\"\n\
                    a = { version = \"1\", path = \"a\" }\n\n[profile.dev]\ndebug = 1\n";
        let manifest = manifest(root);
        let table = manifest.split_once("[workspace.dependencies]\n").unwrap().1;
        assert_eq!(table, "serde = \"1\"\na = { version = \"1\", path = \"../../a\" }\n\n");
    }

    #[test]
    fn compares_only_external_packages() {
        let lock = "version = 4\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n\
                    [[package]]\nname = \"serde\"\nversion = \"1.0.0\"\nsource = \"registry\"\n";
        assert_eq!(locked(lock).collect::<Vec<_>>(), [("serde", "1.0.0")]);
    }
}
