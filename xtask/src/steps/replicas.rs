//! The step that tests several replicas of a server behind a load balancer.

use crate::binaries;
use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::cargo;
use crate::tally::Tally;

/// Starts replicas with what they share, sends them requests, and kills some.
pub(crate) fn replicas(tally: &mut Tally) -> Result<(), Failure> {
    let [_, tests] = binaries::built(["replica", "replicas"])?;
    cargo::counted(Invocation::of(tests), tally)
}
