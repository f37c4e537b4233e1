//! Targets that the compiler builds for beside this machine.

use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;
use crate::process::Invocation;

/// A browser, or whatever else runs WebAssembly: no threads, no clock, no files.
pub(crate) const WASM: Target = Target { name: "wasm32-unknown-unknown" };

/// A target that `rust-toolchain.toml` names. Where rustup installs nothing by itself, it may still be missing.
#[derive(Debug)]
pub(crate) struct Target {
    /// What the compiler calls it.
    pub(crate) name: &'static str,
}

impl Target {
    /// Makes sure that the standard library for this target is there.
    pub(crate) fn ensure(&self) -> Result<(), Failure> {
        if self.is_installed()? {
            return Ok(());
        }
        Invocation::of("rustup").arguments(["target", "add", self.name]).announce().run()
    }

    fn is_installed(&self) -> Result<bool, Failure> {
        let rustc = Invocation::of("rustc").arguments(["--print", "target-libdir", "--target", self.name]);
        let folder = rustc.capture(Duration::from_secs(60))?;
        Ok(folder.status.success() && Path::new(folder.stdout.trim_end()).is_dir())
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, WASM};

    #[test]
    fn the_toolchain_has_every_target_that_is_built_for() {
        let toolchain = include_str!("../../rust-toolchain.toml");
        assert!(toolchain.contains(&format!("targets = [{:?}]", WASM.name)), "{toolchain}");
    }

    #[test]
    fn a_target_that_nobody_has_is_not_installed() {
        assert!(!Target { name: "pdp11-unknown-unknown" }.is_installed().unwrap());
    }
}
