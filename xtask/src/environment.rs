//! Python environments of the tests, installed with pip.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::install_lock::install_lock;
use crate::process::Invocation;
use crate::workspace;

/// The requirements of an environment.
#[derive(Debug)]
pub(crate) struct Requirements {
    /// The name of the folder of the environment.
    name: &'static str,
    /// The folder with the requirements, below the root of the workspace.
    folder: &'static str,
}

/// The SDKs of the vendors.
pub(crate) const PROFILES: Requirements = Requirements { name: "python", folder: "tests/profiles" };
/// A validator of OpenAPI documents, and schemathesis.
pub(crate) const OPENAPI: Requirements = Requirements { name: "python-openapi", folder: "tests/openapi" };
/// A generator of clients from OpenAPI documents, and a type checker.
pub(crate) const TYPED: Requirements = Requirements { name: "python-typed", folder: "tests/typed/python" };
/// The Python SDK of MCP, version 1, and `FastMCP`.
pub(crate) const MCP_1: Requirements = Requirements { name: "python-mcp1", folder: "tests/clients/mcp1" };
pub(crate) const FASTMCP_2: Requirements =
    Requirements { name: "python-fastmcp2", folder: "tests/clients/fastmcp2" };
pub(crate) const FASTMCP_4: Requirements =
    Requirements { name: "python-fastmcp4", folder: "tests/clients/fastmcp4" };
/// The Python SDK of MCP.
pub(crate) const ONETOOL: Requirements =
    Requirements { name: "python-onetool", folder: "examples/onetool/tests/client" };
/// Another Python SDK of MCP, whose server stands behind the gateway and whose client before it.
pub(crate) const GATEWAY: Requirements =
    Requirements { name: "python-gateway", folder: "examples/gateway/tests/servers" };
/// The validators of a server's metadata and of agent skills.
pub(crate) const PUBLISH: Requirements = Requirements { name: "python-publish", folder: "tests/publish" };

/// A service like S3.
pub(crate) const REPLICAS: Requirements = Requirements { name: "python-replicas", folder: "tests/replicas" };

/// The requirements of all steps.
pub(crate) const ALL: [&Requirements; 10] =
    [&PROFILES, &OPENAPI, &TYPED, &MCP_1, &FASTMCP_2, &FASTMCP_4, &ONETOOL, &GATEWAY, &PUBLISH, &REPLICAS];

/// An isolated environment with the requirements.
#[derive(Debug)]
pub(crate) struct Environment {
    /// A folder in the target folder.
    folder: PathBuf,
}

impl Environment {
    /// Installs the requirements, unless they are installed already.
    pub(crate) fn install(required: &Requirements) -> Result<Self, Failure> {
        let _lock = install_lock()?;
        let folder = workspace::binary(required.name)
            .map_err(|source| file(Path::new("the folder of this program"), source))?;
        let environment = Self { folder };
        let list = workspace::root().join(required.folder).join("requirements.txt");
        let requirements = fs::read_to_string(&list).map_err(|source| file(&list, source))?;
        // `--clear` deletes the stamp, too.
        let stamp = environment.folder.join("installed");
        if environment.python().is_file()
            && fs::read_to_string(&stamp).is_ok_and(|installed| installed == requirements)
        {
            println!("{}: installed as required", required.folder);
            return Ok(environment);
        }
        Invocation::of("python3")
            .arguments(["-m", "venv", "--clear"])
            .arguments([&environment.folder])
            .announce()
            .run()?;
        environment.pip(&list).announce().run()?;
        fs::write(&stamp, requirements).map_err(|source| file(&stamp, source))?;
        Ok(environment)
    }

    /// Returns an invocation of a script with the installed packages.
    pub(crate) fn invocation(&self, script: &Path) -> Invocation {
        Invocation::of(self.python()).arguments([script])
    }

    /// Returns an invocation of an installed program.
    pub(crate) fn program(&self, name: &str) -> Invocation {
        Invocation::of(self.file(name))
    }

    /// Returns an invocation that installs the packages of the file `list`: only wheels, and only with the recorded digests.
    fn pip(&self, list: &Path) -> Invocation {
        Invocation::of(self.python())
            .arguments(["-m", "pip", "--disable-pip-version-check", "install", "--quiet"])
            .arguments(["--require-hashes", "--no-deps", "--only-binary=:all:", "--requirement"])
            .arguments([list])
    }

    pub(crate) fn python(&self) -> PathBuf {
        self.file("python")
    }

    fn file(&self, name: &str) -> PathBuf {
        let folder = self.folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
        folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

fn file(path: &Path, source: std::io::Error) -> Failure {
    Failure::File { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Environment;

    #[test]
    fn installs_the_packages_of_a_file() {
        let environment = Environment { folder: PathBuf::from("environment") };
        let command = environment.pip(Path::new("tests/requirements.txt")).to_string();
        assert!(command.starts_with("python -m pip "), "{command}");
        assert!(command.ends_with(" --requirement tests/requirements.txt"), "{command}");
    }

    const REQUIREMENTS: [[&str; 2]; 9] = [
        [
            include_str!("../../tests/profiles/requirements.in"),
            include_str!("../../tests/profiles/requirements.txt"),
        ],
        [
            include_str!("../../tests/openapi/requirements.in"),
            include_str!("../../tests/openapi/requirements.txt"),
        ],
        [
            include_str!("../../tests/typed/python/requirements.in"),
            include_str!("../../tests/typed/python/requirements.txt"),
        ],
        [
            include_str!("../../examples/onetool/tests/client/requirements.in"),
            include_str!("../../examples/onetool/tests/client/requirements.txt"),
        ],
        [
            include_str!("../../tests/clients/mcp1/requirements.in"),
            include_str!("../../tests/clients/mcp1/requirements.txt"),
        ],
        [
            include_str!("../../tests/clients/fastmcp2/requirements.in"),
            include_str!("../../tests/clients/fastmcp2/requirements.txt"),
        ],
        [
            include_str!("../../tests/publish/requirements.in"),
            include_str!("../../tests/publish/requirements.txt"),
        ],
        [
            include_str!("../../tests/replicas/requirements.in"),
            include_str!("../../tests/replicas/requirements.txt"),
        ],
        [
            include_str!("../../tests/clients/fastmcp4/requirements.in"),
            include_str!("../../tests/clients/fastmcp4/requirements.txt"),
        ],
    ];

    #[test]
    fn pins_every_version_with_a_digest() {
        for [_, locked] in REQUIREMENTS {
            let mut packages = 0;
            let mut lines = locked.lines().peekable();
            while let Some(line) = lines.next() {
                if line.starts_with(' ') {
                    assert!(line.trim_start().starts_with("--hash=sha256:"), "{line}");
                    continue;
                }
                packages += 1;
                let (name, rest) =
                    line.split_once("==").unwrap_or_else(|| panic!("no exact version: {line}"));
                assert!(!name.is_empty() && rest.starts_with(|c: char| c.is_ascii_digit()), "{line}");
                assert!(
                    lines.peek().is_some_and(|next| next.trim_start().starts_with("--hash=sha256:")),
                    "{line}"
                );
            }
            assert!(packages > 3, "{packages}");
        }
    }

    #[test]
    fn locks_every_requirement() {
        for [requirements, locked] in REQUIREMENTS {
            for requirement in requirements.lines() {
                assert!(
                    locked.lines().any(|line| line.split_whitespace().next() == Some(requirement)),
                    "{requirement}"
                );
            }
        }
    }
}
