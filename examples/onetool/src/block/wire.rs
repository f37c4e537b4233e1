//! Messages between parent and child: one JSON value per line.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::block::{BlockLimits, Callable};

/// The first message of the parent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) source: String,
    pub(super) tools: Vec<Callable>,
    pub(super) limits: BlockLimits,
}

/// A message of the child. `Done` and `Failed` are final.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkerMessage {
    /// Calls a tool; the parent sends its result.
    Call { tool: String, arguments: Map<String, Value> },
    /// The value of the block.
    Done(Value),
    /// An error, with its line if known.
    Failed { line: Option<usize>, message: String },
}

/// The result of a call.
pub(super) type CallResult = Result<Value, String>;
