//! A crate that re-exports tool-core under other names, so that its dependents can declare tools without tool-core.

pub use tool_core as core;

/// A name further down.
pub mod deep {
    pub use tool_core::*;
}
