//! What parent and child say to each other: one JSON value a line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::block::{BlockLimits, Callable};

/// The first line of the parent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) source: String,
    pub(super) tools: Vec<Callable>,
    pub(super) limits: BlockLimits,
}

/// A line of the child. After `Done` and `Failed` it has nothing more to say.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Say {
    /// Call this tool, and tell what came of it.
    Call { tool: String, arguments: Map<String, Value> },
    /// The value of the block.
    Done(Value),
    /// What is wrong, and in which line if that is known.
    Failed { line: Option<usize>, message: String },
}

/// What came of a call.
pub(super) type CallResult = Result<Value, String>;
