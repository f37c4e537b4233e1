//! The tools, and what they work on.

pub mod notes;
pub mod tools;
