//! `cargo xtask fuzz`: runs a target of the package `fuzz` under libFuzzer.
//!
//! The coverage that libFuzzer needs comes from a pass of LLVM that the stable compiler has as well: `cargo-fuzz` and a nightly
//! compiler are not needed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;
use crate::process::Invocation;
use crate::workspace;

/// The targets: the binaries of the package `fuzz`.
pub(crate) const TARGETS: [&str; 21] = [
    "message",
    "dispatch",
    "http_head",
    "sse_resumption",
    "stdio",
    "tokens",
    "json",
    "canonical",
    "arguments",
    "foreign_schema",
    "catalog_rows",
    "pattern",
    "uri",
    "query",
    "range",
    "cursor",
    "request_state",
    "command_line",
    "yaml",
    "mcp_servers",
    "upstream",
];

/// How the targets and all that they depend on are compiled.
const FLAGS: &str = "--cfg fuzzing -Cdebug-assertions -Coverflow-checks -Ccodegen-units=1";

/// Compiles the crates of the workspace for libFuzzer. What it counts in the others takes longer than what the targets do.
const INSTRUMENT: &str = "fuzz/instrument";

/// A target, how long it runs, and what libFuzzer is told besides.
#[derive(Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) target: &'static str,
    pub(crate) seconds: u64,
    pub(crate) arguments: Vec<String>,
}

impl Run {
    /// Runs the target. What it finds stands in `fuzz` in the target folder: inputs that reach something new, and failures.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let folder = workspace::root().join("target/fuzz");
        let found = folder.join("corpus").join(self.target);
        let failures = folder.join("failures").join(self.target);
        create(&found)?;
        create(&failures)?;
        Invocation::cargo(["run", "--release", "--locked", "--package", "fuzz", "--bin", self.target])
            .arguments(["--target", &host()?, "--target-dir"])
            .arguments([&folder])
            .arguments(["--".as_ref(), found.as_os_str(), format!("fuzz/corpus/{}", self.target).as_ref()])
            .arguments(["-dict=fuzz/dictionary.txt", "-max_len=4096", "-timeout=10", "-print_final_stats=1"])
            // What libFuzzer counts of each input takes longer than most of the targets.
            .arguments(["-entropic=0", "-reduce_inputs=0"])
            .arguments([format!("-artifact_prefix={}/", failures.display())])
            .arguments([format!("-max_total_time={}", self.seconds)])
            .arguments(&self.arguments)
            .env("RUSTFLAGS", FLAGS)
            .env("RUSTC_WORKSPACE_WRAPPER", workspace::root().join(INSTRUMENT))
            .announce()
            .run()
    }
}

fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|source| Failure::File { path: folder.display().to_string(), source })
}

/// Returns the platform of the compiler. Named explicitly, it keeps the flags from build scripts and macros.
fn host() -> Result<String, Failure> {
    let rustc = Invocation::of("rustc").arguments(["--print", "host-tuple"]);
    let captured = rustc.capture(Duration::from_secs(60))?;
    if !captured.status.success() {
        return Err(Failure::Status { command: rustc.to_string(), status: captured.status });
    }
    Ok(captured.stdout.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_the_binaries_of_the_package_and_have_a_corpus() {
        let fuzz = workspace::root().join("fuzz");
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        let paths = manifest.lines().filter_map(|line| line.strip_prefix("path = \"targets/"));
        let names: Vec<&str> = paths.filter_map(|path| path.strip_suffix(".rs\"")).collect();
        assert_eq!(names, TARGETS);
        for name in names {
            assert!(fuzz.join("corpus").join(name).is_dir(), "{name}");
        }
    }

    #[test]
    fn the_host_is_a_platform() {
        let host = host().unwrap();
        assert!(host.split('-').count() >= 3, "{host}");
    }
}
