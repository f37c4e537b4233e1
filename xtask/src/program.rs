//! Programs that steps need and cargo does not provide.

use std::path::PathBuf;
use std::process::Command;

use crate::failure::Failure;
use crate::install_lock::install_lock;
use crate::process::Invocation;

/// Runs the explorer page for the step `browser`.
pub(crate) const CHROMIUM: Program = Program { name: "chromium", package: "chromium", probe: &[] };
/// Installs what the steps `clients` and `browser` run.
pub(crate) const NPM: Program = Program { name: "npm", package: "npm", probe: &[] };
/// Runs what the steps `profiles` and `schemathesis` install in their environments; the SDKs need this version.
pub(crate) const PYTHON: Program = Program {
    name: "python3",
    package: "python3-venv",
    probe: &["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"],
};
/// A shell with completion.
pub(crate) const BASH: Program = Program { name: "bash", package: "bash", probe: &[] };
/// A shell with completion; its module `zpty` provides a terminal for all of them.
pub(crate) const ZSH: Program =
    Program { name: "zsh", package: "zsh", probe: &["-f", "-c", "zmodload zsh/zpty"] };
/// A shell with completion.
pub(crate) const FISH: Program = Program { name: "fish", package: "fish", probe: &[] };
/// Counts the instructions of the benchmarks.
pub(crate) const VALGRIND: Program = Program { name: "valgrind", package: "valgrind", probe: &[] };

/// The database that tests start servers of. Its other programs are not in `PATH` on Debian.
pub(crate) const POSTGRESQL: Program = Program { name: "pg_ctlcluster", package: "postgresql", probe: &[] };

/// Its library gives a process of the tests another clock.
pub(crate) const FAKETIME: Program = Program { name: "faketime", package: "faketime", probe: &[] };

/// Makes system calls of a process of the tests slow, or fail.
pub(crate) const STRACE: Program = Program { name: "strace", package: "strace", probe: &[] };

/// Prepares the network of a namespace for tests.
pub(crate) const IP: Program = Program { name: "ip", package: "iproute2", probe: &[] };

/// Loses packets in the network of a namespace.
pub(crate) const IPTABLES: Program = Program { name: "iptables", package: "iptables", probe: &[] };

/// A program and its Debian package.
#[derive(Debug)]
pub(crate) struct Program {
    /// The name of its executable file.
    pub(crate) name: &'static str,
    /// The package to install.
    pub(crate) package: &'static str,
    /// Arguments that succeed if the program is complete; empty if its presence is enough.
    pub(crate) probe: &'static [&'static str],
}

impl Program {
    /// Installs the program for root on Debian; otherwise a missing program is an error with instructions.
    pub(crate) fn ensure(&self) -> Result<(), Failure> {
        let may_install = || find("apt-get").is_some() && is_root();
        self.obtain(|| find(self.name).is_some() && self.is_complete(), may_install, || self.install())
    }

    fn is_complete(&self) -> bool {
        let probe = || Command::new(self.name).args(self.probe).output();
        self.probe.is_empty() || probe().is_ok_and(|output| output.status.success())
    }

    /// [`Self::ensure`] with an injected view of the machine.
    fn obtain(
        &self,
        is_there: impl Fn() -> bool,
        may_install: impl FnOnce() -> bool,
        install: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if is_there() {
            return Ok(());
        }
        if may_install()
            && let Err(failure) = install()
        {
            eprintln!("{failure}");
        }
        if is_there() {
            return Ok(());
        }
        Err(Failure::Missing { program: self.name, package: self.package, partly: !self.probe.is_empty() })
    }

    fn install(&self) -> Result<(), Failure> {
        let _lock = install_lock()?;
        let apt = |arguments: &[&str]| {
            Invocation::of("apt-get").arguments(arguments).env("DEBIAN_FRONTEND", "noninteractive")
        };
        // An unreachable source may not be the one with the package.
        if let Err(failure) = apt(&["update", "--quiet"]).announce().run() {
            eprintln!("{failure}");
        }
        apt(&["install", "--quiet", "--yes", "--no-install-recommends", self.package]).announce().run()
    }
}

/// Returns the path of this program in `PATH`.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
}

/// Returns `true` if the current user may install packages.
fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const THING: Program = Program { name: "thing", package: "things", probe: &[] };

    #[test]
    fn skips_installed_programs() {
        let result = THING.obtain(|| true, || true, || panic!("reinstalled an installed program"));
        assert!(result.is_ok());
    }

    #[test]
    fn installs_programs_as_root() {
        let installed = Cell::new(false);
        let install = || {
            installed.set(true);
            Ok(())
        };
        assert!(THING.obtain(|| installed.get(), || true, install).is_ok());
        assert!(installed.get());
    }

    #[test]
    fn names_what_to_install_on_other_systems() {
        let failure =
            THING.obtain(|| false, || false, || panic!("installed without being root")).unwrap_err();
        let text = failure.to_string();
        assert!(
            text.starts_with("`thing` is not installed\n") && text.contains("apt-get install things"),
            "{text}"
        );
    }

    #[test]
    fn distinguishes_a_missing_part_from_a_missing_program() {
        let thing = Program { probe: &["--part"], ..THING };
        let failure = thing.obtain(|| false, || false, || Ok(())).unwrap_err().to_string();
        assert!(failure.starts_with("`thing` is not installed, is too old or lacks a part\n"), "{failure}");
        let shell = |probe| Program { name: "sh", package: "dash", probe };
        assert!(shell(&["-c", "exit 0"]).is_complete() && shell(&[]).is_complete());
        assert!(!shell(&["-c", "exit 1"]).is_complete());
    }

    #[test]
    fn reports_an_installation_without_effect() {
        for result in [Ok(()), Err(Failure::NoTests)] {
            let failure = THING.obtain(|| false, || true, || result).unwrap_err();
            assert!(matches!(failure, Failure::Missing { program: "thing", .. }), "{failure}");
        }
    }

    #[test]
    fn finds_programs_on_the_path() {
        assert!(find("cargo").is_some_and(|file| file.is_absolute()));
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
