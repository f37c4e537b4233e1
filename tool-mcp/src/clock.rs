//! Moments to come.

use std::time::Duration;

use tokio::time::Instant;

/// As good as never: what is chosen to last longer may be meant so, and no clock counts that far.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The moment after so long a time from now.
pub(crate) fn after(duration: Duration) -> Instant {
    Instant::now() + duration.min(FOR_EVER)
}
