//! The step that loads all interfaces of one application for two minutes.

use crate::failure::Failure;
use crate::soak;
use crate::tally::Tally;

/// Runs the soak test for two minutes, in which a leak of some KiB with each call shows.
pub(crate) fn soak(tally: &mut Tally) -> Result<(), Failure> {
    let result = soak::run(&["--minutes", "2"].map(str::to_owned));
    tally.count(result.is_ok());
    result
}
