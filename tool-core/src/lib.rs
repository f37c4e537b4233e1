#![doc = include_str!("../README.md")]

mod access;
mod call;
mod completion;
mod context;
mod declaration;
mod definition;
mod digest;
mod entry;
mod failure;
mod inject;
mod input;
mod leniency;
mod locator;
mod operation;
mod output;
mod registration;
mod registry;
mod requirement;
mod returns;
mod schema;
mod state;

#[doc(hidden)]
pub mod private;

pub use access::{Access, Permission, Principal};
pub use call::Reply;
pub use context::{CallId, Context};
pub use declaration::Deprecated;
pub use definition::{Source, ToolDefinition};
pub use digest::Digest;
pub use failure::{Failure, FailureCodes, FailureKind, Problem, Reason, ToolError};
pub use inject::{Inject, Injection, Needs, op};
pub use input::Input;
pub use leniency::{Leniency, Repair, RepairKind, Validation};
pub use locator::Locator;
pub use operation::{Annotations, Operation, UnknownOperation};
pub use output::{Content, Output};
pub use registry::{BuildError, BuildErrors, Builder, Registry};
pub use requirement::Unmet;
pub use returns::{ReturnError, ReturnValue};
pub use schema::{Allowed, Constraints, NativeSchema};
pub use state::State;

#[cfg(feature = "macros")]
pub use tool_macros::tool;
