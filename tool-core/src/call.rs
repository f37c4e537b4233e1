//! The pipeline of every call, for all adapters.
//!
//! ```text
//! the tool exists → the registry is not too read only for it → the caller has its permissions → its requirements are met
//!     → it is the caller's turn → the arguments are JSON → they are what it takes → its access function allows it
//!     → what is injected is there → it runs → its output
//! ```
//!
//! Arguments arrive as bytes. In the common case they are scanned once, and each input is decoded once. Otherwise (an unknown
//! name, a value that does not decode, an input that is not a scalar) they are parsed and validated against the schema, so that
//! all problems are reported at once and in the same words.

pub(crate) mod admission;
pub(crate) mod audit;
mod block_on;
#[cfg(feature = "tokio")]
mod check_blocking;
mod content;
pub(crate) mod decode;
mod example;
pub(crate) mod executor;
mod failure_log;
pub(crate) mod implementation;
mod invocation;
pub(crate) mod layer;
mod layered;
pub(crate) mod options;
mod output_check;
#[cfg(feature = "tasks")]
mod preparation;
#[cfg(feature = "rate-limit")]
pub(crate) mod rate_limit;
mod reply;
mod run;
#[cfg(feature = "tokio")]
mod spawn;
pub(crate) mod target;
pub(crate) mod text_arguments;
pub(crate) mod tool;

pub use block_on::block_on;
pub use reply::Reply;

#[cfg(feature = "tokio")]
pub(crate) use check_blocking::validate_limited;
pub(crate) use decode::validate;
pub(crate) use executor::{CallLimits, Executor};
pub(crate) use invocation::{Started, begin, refused, unknown};
#[cfg(feature = "tasks")]
pub(crate) use preparation::prepare_only;
