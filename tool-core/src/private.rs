//! What the expansion of `#[tool]` calls. Not public API: nothing here keeps its name or its shape between versions.

pub use crate::__register as register;
pub use crate::call::block_on;
pub use crate::declaration::Declaration;
#[cfg(feature = "tokio")]
pub use crate::entry::run_blocking;
pub use crate::entry::{Call, Entry, Running, Step, run, run_sync};
pub use crate::input::{In, Injected, InputSpec, Inputs, JsonFn, Presence, defaulted, injected, input, json};
pub use crate::registration::*;
pub use crate::returns::Shape;
