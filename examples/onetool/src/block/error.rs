//! Errors of blocks.

use tool_core::ToolError;

/// The reason why a block failed.
///
/// ```
/// use onetool::{Block, BlockError};
///
/// assert_eq!(Block::parse("").unwrap_err(), BlockError::Empty);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The block has no code.
    #[error("there is no code to run: write it behind `__onetool__run`")]
    Empty,
    /// A fence is not closed.
    #[error("line {line}: the fence that begins here does not end")]
    OpenFence {
        /// The line number, from 1.
        line: usize,
    },
    /// There is text after the fence.
    #[error("line {line}: there is text behind the block; `run` takes one block and nothing else")]
    Behind {
        /// The line number, from 1.
        line: usize,
    },
    /// A line is invalid, or failed.
    #[error("line {line}: {message}")]
    Line {
        /// The line number in the command, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// An error without a line number.
    #[error("{0}")]
    Failed(String),
    /// The time limit has passed.
    #[error("the block did not end within {0} seconds")]
    Late(u32),
    /// The memory limit is exceeded.
    #[error("the block needs more than the {0} bytes of memory that it may use")]
    Memory(u64),
    /// The output is too large.
    #[error("the block came to more than {0} bytes")]
    Output(usize),
    /// The interpreter crashed.
    #[error("the block could not be run to its end: it may be nested too deeply")]
    Crashed,
    /// The caller canceled the call.
    #[error("the call was taken back")]
    Cancelled,
    /// Too many blocks are running.
    #[error("too many blocks run at the moment: try again")]
    Busy,
    /// The process cannot be started.
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
