//! Steps that run one cargo command.

use crate::binaries;
use crate::failure::Failure;
use crate::guides;
use crate::process::Invocation;
use crate::tally::Tally;
use crate::target::WASM;

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

/// Tests the program that builds the guides, which is a workspace of its own, and builds them.
pub(crate) fn docs(tally: &mut Tally) -> Result<(), Failure> {
    counted(guides::builder("test"), tally)?;
    guides::build()
}

/// Runs `cargo test`, counts the tests, and prints again at the end what the failed ones printed. Skipped tests or no tests are an
/// error.
pub(super) fn counted(tests: Invocation, tally: &mut Tally) -> Result<(), Failure> {
    let mut failures = Failures::default();
    let result = tests.announce().run_reading(|line| {
        failures.read(line);
        if let Some(more) = Tally::of_line(line) {
            *tally += more;
        }
    });
    for line in &failures.lines {
        println!("{line}");
    }
    result?;
    match *tally {
        Tally { skipped: 1.., .. } => Err(Failure::Skipped(tally.skipped)),
        Tally { passed: 0, .. } => Err(Failure::NoTests),
        _ => Ok(()),
    }
}

/// What test programs print of failed tests: all from the line `failures:` to the result.
#[derive(Default)]
struct Failures {
    lines: Vec<String>,
    inside: bool,
}

impl Failures {
    fn read(&mut self, line: &str) {
        self.inside = (self.inside || line == "failures:") && !line.starts_with("test result: ");
        if self.inside {
            self.lines.push(line.to_owned());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_failed_tests_print() {
        let mut failures = Failures::default();
        let output = "test a ... FAILED\n\nfailures:\n\n---- a stdout ----\npanicked\n\nfailures:\n    a\n\n\
                      test result: FAILED. 0 passed; 1 failed\n\ntest b ... ok\ntest result: ok. 1 passed";
        output.lines().for_each(|line| failures.read(line));
        assert_eq!(
            failures.lines,
            ["failures:", "", "---- a stdout ----", "panicked", "", "failures:", "    a", ""]
        );
    }
}
