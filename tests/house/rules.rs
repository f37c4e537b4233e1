//! Rules of the workspace that the compiler does not check: dependencies between crates, and metadata of packages.

mod dependencies;
mod floors;
mod interfaces;
mod packages;
mod readme;
