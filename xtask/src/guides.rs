//! The guides as a book.

use crate::failure::Failure;
use crate::process::Invocation;
use crate::workspace;

/// Returns a command of cargo for the program that builds the book, a workspace of its own.
pub(crate) fn builder(command: &str) -> Invocation {
    Invocation::cargo([command, "--locked", "--manifest-path", "docs/builder/Cargo.toml"])
        .env("CARGO_TARGET_DIR", workspace::target())
}

/// Builds the guides as HTML, and prints where they are.
pub(crate) fn build() -> Result<(), Failure> {
    builder("run").announce().run()?;
    println!("the guides are in {}", workspace::root().join("target/docs/index.html").display());
    Ok(())
}
