//! A crate that hands tool-core on under names of its own: those who depend on this one alone can declare tools, too.

pub use tool_core as core;

/// A name further down.
pub mod deep {
    pub use tool_core::*;
}
