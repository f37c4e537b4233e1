//! Programs that `cargo install` builds.

use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::process::Invocation;
use crate::workspace;

/// Checks licenses, sources, bans and advisories by `deny.toml`.
pub(crate) const DENY: CargoProgram = CargoProgram { name: "cargo-deny", version: "0.20.2" };

/// Changes code and runs its tests, by `.cargo/mutants.toml`.
pub(crate) const MUTANTS: CargoProgram = CargoProgram { name: "cargo-mutants", version: "27.1.0" };

/// Compares the public API of two versions. It reads what `rustdoc` of the pinned toolchain writes, so it changes with the compiler.
pub(crate) const SEMVER_CHECKS: CargoProgram =
    CargoProgram { name: "cargo-semver-checks", version: "0.51.0" };

/// A subcommand of cargo. It is compiled when it is installed, which takes minutes.
#[derive(Debug)]
pub(crate) struct CargoProgram {
    /// The name of the package, and of its executable file.
    pub(crate) name: &'static str,
    /// The version to install. Any installed version is used.
    pub(crate) version: &'static str,
}

impl CargoProgram {
    /// Installs the program on CI; elsewhere a missing program is an error with instructions.
    pub(crate) fn ensure(&self) -> Result<(), Failure> {
        if self.is_installed() {
            return Ok(());
        }
        if !workspace::on_ci() {
            return Err(Failure::NotInstalled { program: self.name, version: self.version });
        }
        let package = format!("{}@{}", self.name, self.version);
        Invocation::cargo(["install", "--locked", &package]).announce().run()
    }

    /// Returns an invocation of the subcommand.
    pub(crate) fn invocation<'a>(&'a self, arguments: impl IntoIterator<Item = &'a str>) -> Invocation {
        Invocation::cargo([self.subcommand()]).arguments(arguments)
    }

    fn subcommand(&self) -> &str {
        self.name.strip_prefix("cargo-").unwrap_or(self.name)
    }

    fn is_installed(&self) -> bool {
        let mut program = Command::new("cargo");
        program.args([self.subcommand(), "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
        program.status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_subcommands_that_are_installed() {
        // One that comes with the toolchain.
        assert!(CargoProgram { name: "cargo-fmt", version: "1" }.is_installed());
        let missing = CargoProgram { name: "cargo-no-such-command", version: "1.2.3" };
        assert!(!missing.is_installed());
        let failure = Failure::NotInstalled { program: missing.name, version: missing.version }.to_string();
        assert!(failure.ends_with("help: cargo install --locked cargo-no-such-command@1.2.3"), "{failure}");
    }

    #[test]
    fn runs_the_subcommand_with_arguments() {
        assert!(DENY.invocation(["check", "bans"]).to_string().ends_with("cargo deny check bans"));
    }
}
