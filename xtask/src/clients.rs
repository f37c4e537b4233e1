//! Third-party programs that are installed with npm: in `tests/clients`, `tests/browser`, `tests/oauth`, `tests/publish`,
//! `tests/typed` and the gateway's tests.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::install_lock::install_lock;
use crate::process::Invocation;
use crate::workspace;

/// The folders with a lock file.
pub(crate) const FOLDERS: [&str; 6] = [
    "tests/typed/typescript",
    "tests/clients",
    "examples/gateway/tests/servers",
    "tests/oauth",
    "tests/publish",
    "tests/browser",
];

/// The installed programs.
#[derive(Debug)]
pub(crate) struct Clients {
    folder: PathBuf,
}

impl Clients {
    /// Installs the lock file of this folder, unless it is installed already.
    pub(crate) fn install(folder: &str) -> Result<Self, Failure> {
        let _lock = install_lock()?;
        let clients = Self { folder: workspace::root().join(folder) };
        let wanted = clients.wanted()?;
        // `npm ci` first deletes `node_modules`, including the stamp.
        let stamp = clients.modules().join(".installed");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
            println!("{folder}: installed as locked");
            return Ok(clients);
        }
        // Only errors: npm's own node may be too old for the clients, which run with theirs.
        Invocation::of("npm")
            .arguments(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
            .folder(&clients.folder)
            .announce()
            .run()?;
        fs::write(&stamp, wanted).map_err(|source| file(&stamp, source))?;
        Ok(clients)
    }

    /// Returns an invocation of an installed program with the installed node.
    pub(crate) fn invocation(&self, program: &str) -> Invocation {
        Invocation::of(self.program(program)).env("PATH", first_in_path(&self.modules().join("node/bin")))
    }

    /// Returns the path of an installed program. It runs with the node that is first in `PATH`.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.modules().join(".bin").join(name)
    }

    /// Returns the path of the installed node.
    pub(crate) fn node(&self) -> PathBuf {
        self.modules().join("node/bin/node")
    }

    /// Returns the key that decides whether to install again.
    fn wanted(&self) -> Result<String, Failure> {
        let read = |name| {
            let path = self.folder.join(name);
            fs::read_to_string(&path).map_err(|source| file(&path, source))
        };
        Ok(read("package.json")? + &read("package-lock.json")?)
    }

    fn modules(&self) -> PathBuf {
        self.folder.join("node_modules")
    }
}

/// Returns `PATH` with a folder prepended.
fn first_in_path(folder: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut first = folder.as_os_str().to_owned();
    if !path.is_empty() {
        first.push(if cfg!(windows) { ";" } else { ":" });
        first.push(path);
    }
    first
}

fn file(path: &Path, source: std::io::Error) -> Failure {
    Failure::File { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGES: [&str; 6] = [
        include_str!("../../tests/clients/package.json"),
        include_str!("../../tests/browser/package.json"),
        include_str!("../../examples/gateway/tests/servers/package.json"),
        include_str!("../../tests/oauth/package.json"),
        include_str!("../../tests/publish/package.json"),
        include_str!("../../tests/typed/typescript/package.json"),
    ];
    const LOCKS: [&str; 6] = [
        include_str!("../../tests/clients/package-lock.json"),
        include_str!("../../tests/browser/package-lock.json"),
        include_str!("../../examples/gateway/tests/servers/package-lock.json"),
        include_str!("../../tests/oauth/package-lock.json"),
        include_str!("../../tests/publish/package-lock.json"),
        include_str!("../../tests/typed/typescript/package-lock.json"),
    ];

    #[test]
    fn locks_digests_without_urls() {
        for lock in LOCKS {
            assert!(lock.contains(r#""integrity": "sha512-"#));
            assert!(
                !lock.contains(r#""resolved""#),
                "make the lock file with `npm install --omit-lockfile-registry-resolved`"
            );
        }
    }

    #[test]
    fn pins_every_version() {
        for package in PACKAGES {
            let dependencies =
                package.split_once(r#""dependencies": {"#).unwrap().1.split_once('}').unwrap().0;
            let versions: Vec<&str> = dependencies
                .lines()
                .filter_map(|line| line.trim().split_once(r#"": ""#))
                .map(|(_, v)| v)
                .collect();
            assert!(versions.len() >= 2, "{dependencies}");
            for version in versions {
                // A number, or a pre-release.
                let part =
                    |part: &str| part.parse::<u32>().is_ok() || ["alpha", "beta", "rc"].contains(&part);
                let exact = version.trim_end_matches([',', '"']).split(['.', '-']).all(part);
                assert!(exact, "{version}");
            }
        }
    }

    #[test]
    fn prefers_the_installed_node() {
        let path = first_in_path(Path::new("/clients/bin"));
        assert_eq!(std::env::split_paths(&path).next(), Some(PathBuf::from("/clients/bin")));
        assert_eq!(std::env::split_paths(&path).skip(1).collect::<Vec<_>>(), {
            let path = std::env::var_os("PATH").unwrap();
            std::env::split_paths(&path).collect::<Vec<_>>()
        });
    }
}
