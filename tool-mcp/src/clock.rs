//! Deadlines.

use std::time::Duration;

use tokio::time::Instant;

/// The longest time that is counted: the clock cannot add arbitrary durations.
const LONGEST: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Returns the instant after this duration from now.
pub(crate) fn after(duration: Duration) -> Instant {
    Instant::now() + duration.min(LONGEST)
}
