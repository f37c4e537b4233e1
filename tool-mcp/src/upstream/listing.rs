//! The last list of the tools of one server.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tool_core::provider::Toolset;
use tool_core::{Registry, adapter};

/// A list of tools that was read from a server.
pub(super) struct Listing {
    /// A hash of the list as the server sent it.
    pub(super) fingerprint: u64,
    pub(super) toolset: Toolset,
    /// Warnings about tools that are served in part.
    pub(super) warnings: Arc<[String]>,
    pub(super) received: Instant,
    /// How long the list is fresh, according to the server.
    pub(super) fresh_for: Option<Duration>,
}

/// The shortest time between two refreshes, even if the server calls its list stale at once.
const MIN_FRESH_FOR: Duration = Duration::from_secs(1);

impl Listing {
    /// Returns `true` if both listings have the same tools.
    pub(super) fn has_same_tools(&self, other: &Self) -> bool {
        adapter::same_view(self.toolset.registry(), other.toolset.registry())
    }

    /// Returns `true` if the listing is older than `max_age`, or than the server allows.
    pub(super) fn is_stale(&self, max_age: Duration) -> bool {
        self.received.elapsed()
            >= self.fresh_for.map_or(max_age, |fresh| fresh.max(MIN_FRESH_FOR).min(max_age))
    }

    /// Returns a line for each tool that is skipped or served in part.
    pub(super) fn skipped(&self) -> Vec<String> {
        let skipped = self.toolset.skipped().iter().map(ToString::to_string);
        skipped.chain(self.warnings.iter().cloned()).collect()
    }
}

/// Returns a registry without tools.
pub(super) fn empty_registry() -> Registry {
    Registry::builder().allow_empty().build().expect("an empty registry is valid: the tests build it")
}
