//! Steps that run one cargo command.

use crate::binaries;
use crate::failure::Failure;
use crate::process::Invocation;
use crate::tally::Tally;
use crate::target::WASM;
use crate::workspace;

pub(crate) fn fmt(_: &mut Tally) -> Result<(), Failure> {
    Invocation::cargo(["fmt", "--check"]).announce().run()
}

pub(crate) fn clippy(_: &mut Tally) -> Result<(), Failure> {
    Invocation::cargo(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
        .announce()
        .run()
}

pub(crate) fn doc(_: &mut Tally) -> Result<(), Failure> {
    Invocation::cargo(["doc", "--workspace", "--no-deps", "--locked"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .announce()
        .run()
}

pub(crate) fn api(_: &mut Tally) -> Result<(), Failure> {
    Invocation::cargo(["run", "--package", "api", "--locked"]).announce().run()
}

/// Runs all tests, even after failures.
pub(crate) fn test(tally: &mut Tally) -> Result<(), Failure> {
    counted(Invocation::cargo(["test", "--workspace", "--locked", "--no-fail-fast"]), tally)
}

/// Runs `cargo test` and counts the tests; skipped tests or no tests are an error.
pub(super) fn counted(tests: Invocation, tally: &mut Tally) -> Result<(), Failure> {
    tests.announce().run_reading(|line| {
        if let Some(more) = Tally::of_line(line) {
            *tally += more;
        }
    })?;
    match *tally {
        Tally { skipped: 1.., .. } => Err(Failure::Skipped(tally.skipped)),
        Tally { passed: 0, .. } => Err(Failure::NoTests),
        _ => Ok(()),
    }
}

/// Without a choice of packages cargo takes the default members, which are the libraries. It orders them by their
/// dependencies, and builds each from its archive against the archives of the others, published or not.
pub(crate) fn package(_: &mut Tally) -> Result<(), Failure> {
    forget_archives();
    let package = Invocation::cargo(["package", "--locked"]);
    // Uncommitted changes are an error on CI only.
    let package = if workspace::on_ci() { package } else { package.arguments(["--allow-dirty"]) };
    package.announce().run()
}

/// Deletes unpacked archives of earlier runs. Cargo identifies them by location and version, and would build outdated ones. Their
/// folders have names that begin with a hyphen, since their registry has no host.
fn forget_archives() {
    let folder = std::env::var_os("CARGO_HOME").map(std::path::PathBuf::from);
    let folder = folder.or_else(|| std::env::home_dir().map(|user| user.join(".cargo")));
    let folders = folder.and_then(|folder| std::fs::read_dir(folder.join("registry/src")).ok());
    for folder in folders.into_iter().flatten().flatten() {
        if folder.file_name().to_string_lossy().starts_with('-') {
            // One that is in use elsewhere is unpacked again.
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}

/// Checks each package alone: together, they would enable each other's features.
pub(crate) fn features(_: &mut Tally) -> Result<(), Failure> {
    let build = ["build", "--package", "tool-core", "--no-default-features", "--locked"];
    Invocation::cargo(build).announce().run()?;
    // Without registration at link time: the fixture lists and calls its tools, and checks the answers.
    Invocation::cargo(["run", "--package", "fixture-listed", "--locked"]).announce().run()?;
    WASM.ensure()?;
    Invocation::cargo(["build", "--package", "fixture-listed", "--no-default-features", "--locked"])
        .arguments(["--target", WASM.name])
        .announce()
        .run()
}

/// Counts instructions instead of time, so that results do not depend on the machine.
pub(crate) fn instructions(_: &mut Tally) -> Result<(), Failure> {
    let [benches] = binaries::built(["benches"])?;
    Invocation::of(benches).arguments(["instructions"]).announce().run()
}
