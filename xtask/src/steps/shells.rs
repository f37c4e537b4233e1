//! The step that tests completion in real shells.

use crate::failure::Failure;
use crate::process::Invocation;
use crate::tally::Tally;

/// Runs the test target that plain `cargo test` skips, as it needs these shells.
pub(crate) fn shells(tally: &mut Tally) -> Result<(), Failure> {
    let test = ["test", "--workspace", "--test", "shells", "--locked"];
    Invocation::cargo(test).announce().run_reading(|line| {
        if let Some(more) = Tally::of_line(line) {
            *tally += more;
        }
    })?;
    if tally.passed == 0 { Err(Failure::NoTests) } else { Ok(()) }
}
