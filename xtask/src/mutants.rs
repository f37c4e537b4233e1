//! `cargo xtask mutants`: changes the code in one place after the other, and reports which changes no test notices.
//!
//! No step of `cargo xtask test`: each change is a build and a run of the tests, hours altogether. `.cargo/mutants.toml` says what
//! is changed, and `tests/mutations.md` which changes remain unnoticed, and why.

use crate::cargo_program::MUTANTS;
use crate::failure::Failure;

/// Runs `cargo-mutants` with these arguments, on all the code of `.cargo/mutants.toml` without any.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    MUTANTS.ensure()?;
    MUTANTS.invocation([]).arguments(arguments).announce().run()
}
