//! Why a block came to nothing.

use tool_core::ToolError;

/// Why a block came to nothing.
///
/// ```
/// use onetool::{Block, BlockError};
///
/// assert_eq!(Block::parse("").unwrap_err(), BlockError::Empty);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// There is no code.
    #[error("there is no code to run: write it behind `__onetool__run`")]
    Empty,
    /// A fence begins and does not end.
    #[error("line {line}: the fence that begins here does not end")]
    OpenFence {
        /// The line, counted from 1.
        line: usize,
    },
    /// There is something behind the fence.
    #[error("line {line}: there is text behind the block; `run` takes one block and nothing else")]
    Behind {
        /// The line, counted from 1.
        line: usize,
    },
    /// A line of it is wrong, or failed.
    #[error("line {line}: {message}")]
    Line {
        /// The line of the command, counted from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Something is wrong that no line is known of.
    #[error("{0}")]
    Failed(String),
    /// It takes too long.
    #[error("the block did not end within {0} seconds")]
    Late(u32),
    /// It needs too much memory.
    #[error("the block needs more than the {0} bytes of memory that it may use")]
    Memory(u64),
    /// What it came to is too much.
    #[error("the block came to more than {0} bytes")]
    Output(usize),
    /// The interpreter gave up.
    #[error("the block could not be run to its end: it may be nested too deeply")]
    Crashed,
    /// The caller has taken the call back.
    #[error("the call was taken back")]
    Cancelled,
    /// There are too many blocks at the moment.
    #[error("too many blocks run at the moment: try again")]
    Busy,
    /// No process can be started.
    #[error("blocks cannot be run at the moment")]
    NoProcess,
}

impl From<BlockError> for ToolError {
    fn from(error: BlockError) -> Self {
        match error {
            BlockError::Busy | BlockError::NoProcess => ToolError::unavailable(error.to_string()),
            _ => ToolError::failed(error.to_string()),
        }
    }
}
