//! The rules of the house that no compiler knows: which crate may depend on what, and what every crate says of itself.

mod dependencies;
mod floors;
mod interfaces;
mod packages;
mod readme;
