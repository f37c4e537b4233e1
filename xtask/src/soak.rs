//! `cargo xtask soak`, and the step of this name: all interfaces of one application under mixed and hostile traffic.

use crate::binaries;
use crate::failure::Failure;
use crate::process::Invocation;

/// Runs the program of `tests/soak` with these arguments. Its figures stand in `target/soak`.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let [soak, _] = binaries::built(["soak", "soak-server"])?;
    Invocation::of(soak).arguments(arguments).announce().run()
}
