//! Limits of a block.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a block may take.
///
/// ```
/// let limits = onetool::BlockLimits::default();
/// assert_eq!((limits.seconds, limits.calls), (30, 100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockLimits {
    /// Seconds from its beginning to its end, the calls of tools included.
    pub seconds: u32,
    /// How many statements it may execute.
    pub steps: u64,
    /// Bytes of memory that its values may take.
    pub memory: u64,
    /// How many calls of tools it may make.
    pub calls: u32,
    /// The most bytes of its result as JSON, and of what it hands to one tool.
    pub output: usize,
}

impl Default for BlockLimits {
    fn default() -> Self {
        BlockLimits { seconds: 30, steps: 1_000_000, memory: 128 << 20, calls: 100, output: 4 << 20 }
    }
}

impl BlockLimits {
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }
}
