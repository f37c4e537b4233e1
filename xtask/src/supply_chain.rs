//! `cargo xtask deny` and `cargo xtask advisories`: what the workspace depends on, checked by `cargo-deny` with `deny.toml`.
//!
//! No step of `cargo xtask test`: the program takes minutes to compile, and advisories come from a repository that CI cannot reach.
//! `tests/house` checks licenses, sources and bans by the same file.

use crate::cargo_program::DENY;
use crate::failure::Failure;

/// Checks licenses, sources and bans, for every platform.
pub(crate) fn deny() -> Result<(), Failure> {
    check(&["bans", "licenses", "sources"])
}

/// Checks the lock file against the advisory database of `RustSec`, which is fetched from GitHub.
pub(crate) fn advisories() -> Result<(), Failure> {
    check(&["advisories"])
}

fn check(what: &[&str]) -> Result<(), Failure> {
    DENY.ensure()?;
    DENY.invocation(["--locked", "check"]).arguments(what).announce().run()
}
