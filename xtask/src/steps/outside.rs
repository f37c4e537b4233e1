//! Steps that run third-party programs with ours.

use crate::environment::{Environment, PROFILES};
use crate::failure::Failure;
use crate::process::Invocation;
use crate::tally::Tally;
use crate::workspace;

/// Checks the golden files of `tool-core` with the SDKs of openai, anthropic and google, once per tool and profile.
pub(crate) fn profiles(tally: &mut Tally) -> Result<(), Failure> {
    let environment = Environment::install(&PROFILES)?;
    let script = workspace::root().join("tests/profiles/check.py");
    checks(environment.invocation(&script), tally)
}

/// Runs a script that prints one line per check, and counts the checks.
pub(super) fn checks(script: Invocation, tally: &mut Tally) -> Result<(), Failure> {
    let result = script.announce().run_reading(|line| {
        if line.ends_with(" ... ok") {
            tally.count(true);
        } else if line.ends_with(" ... FAILED") {
            tally.count(false);
        }
    });
    match tally {
        Tally { failed: 1.., .. } => Err(Failure::Checks(tally.failed)),
        Tally { passed: 0, .. } => result.and(Err(Failure::NoTests)),
        _ => result,
    }
}
