//! Blocks: small programs in Starlark, in which tools are functions.
//!
//! A block is taken out of the text around it by [`Block::parse`], and run by a [`Sandbox`] in a process of its own: the
//! program starts itself again in the part of [`worker`], which can do nothing but compute and ask its parent to call a
//! tool. What it computes cannot hurt the server, whatever it is: the parent ends it when its time is over, and the system
//! ends it when it takes more memory than it may.

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
