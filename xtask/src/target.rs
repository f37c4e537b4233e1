//! Further compilation targets.

use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;
use crate::process::Invocation;

/// WebAssembly without threads, clock or files.
pub(crate) const WASM: Target = Target { name: "wasm32-unknown-unknown" };

/// A target in `rust-toolchain.toml`. It may be missing without rustup.
#[derive(Debug)]
pub(crate) struct Target {
    /// The target triple.
    pub(crate) name: &'static str,
}

impl Target {
    /// Installs the standard library of this target with rustup, if it is missing.
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
    fn lists_every_target_in_the_toolchain() {
        let toolchain = include_str!("../../rust-toolchain.toml");
        assert!(toolchain.contains(&format!("targets = [{:?}]", WASM.name)), "{toolchain}");
    }

    #[test]
    fn reports_a_missing_target() {
        assert!(!Target { name: "pdp11-unknown-unknown" }.is_installed().unwrap());
    }
}
