//! Blocks: small programs in Starlark, in which tools are functions.
//!
//! [`Block::parse`] extracts a block from the text around it. A [`Sandbox`] runs it in a child process of the same program, the
//! [`worker`], which can only compute and ask its parent to call tools. The parent ends it on timeout, and the system ends it
//! when it exceeds its memory.

mod error;
mod extract;
mod function;
mod interpreter;
mod limits;
mod sandbox;
mod wire;
mod worker;
mod writing;

pub use error::BlockError;
pub use extract::{Block, MARKER};
pub use limits::BlockLimits;
pub use sandbox::{Callable, Sandbox};
pub use worker::{ROLE, worker};
pub use writing::{comment, list, literal};
