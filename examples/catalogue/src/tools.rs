//! The administration tools, for the command line only.

pub mod change;
pub mod health;
pub mod read;
