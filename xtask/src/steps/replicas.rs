//! The step that tests several replicas of a server behind a load balancer.

use crate::binaries;
use crate::environment::{Environment, REPLICAS};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::cargo;
use crate::tally::Tally;

/// Reads results from a bucket with many objects. Then starts replicas with what they share, sends them requests, and kills some.
pub(crate) fn replicas(tally: &mut Tally) -> Result<(), Failure> {
    let python = Environment::install(&REPLICAS)?.python();
    let [tests, ..] = binaries::built(["replicas", "replica", "content"])?;
    let bucket = Invocation::cargo(["test", "--workspace", "--locked", "--test", "s3"]);
    for tests in [bucket, Invocation::of(tests)] {
        cargo::counted(tests.env("S3_PYTHON", &python), tally)?;
    }
    Ok(())
}
