//! The step that tests an application beside us, with the newest and the oldest libraries of the ranges in `Cargo.toml`. All other tests
//! use those of `Cargo.lock`, the newest.

use std::fs;

use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::cargo;
use crate::tally::Tally;
use crate::workspace;

/// The lower end of each range that spans versions which are not compatible by their number, or that says one.
const OLDEST: &[(&str, &str)] = &[("rmcp", "3.11.0"), ("rmcp-macros", "3.11.0")];

/// The manifest of an application that has libraries of ours beside its own rmcp.
const MANIFEST: &str = "tests/beside/Cargo.toml";
const LOCK: &str = "tests/beside/Cargo.lock";

/// Tests the application with the newest libraries, then with the oldest if these are others.
pub(crate) fn oldest(tally: &mut Tally) -> Result<(), Failure> {
    // Its lock file is not checked in, and an earlier run may have left one.
    update(&[])?;
    test(tally)?;
    let path = workspace::root().join(LOCK);
    let lock = fs::read_to_string(&path)
        .map_err(|source| Failure::File { path: path.display().to_string(), source })?;
    if OLDEST.iter().all(|(name, version)| has(&lock, name, version)) {
        println!("the newest libraries are the oldest ones that are allowed");
        return Ok(());
    }
    for (name, version) in OLDEST {
        update(&[name, "--precise", version])?;
    }
    test(tally)
}

/// Returns `true` if a lock file has this version of a library.
fn has(lock: &str, name: &str, version: &str) -> bool {
    lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n"))
}

fn update(arguments: &[&str]) -> Result<(), Failure> {
    Invocation::cargo(["update", "--manifest-path", MANIFEST]).arguments(arguments).announce().run()
}

fn test(tally: &mut Tally) -> Result<(), Failure> {
    let test = Invocation::cargo(["test", "--manifest-path", MANIFEST, "--locked", "--no-fail-fast"]);
    cargo::counted(test.env("CARGO_TARGET_DIR", workspace::target()), tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_version_in_a_lock_file() {
        let lock = "[[package]]\nname = \"rmcp\"\nversion = \"3.11.0\"\nsource = \"registry\"\n";
        assert!(has(lock, "rmcp", "3.11.0"));
        assert!(!has(lock, "rmcp", "3.11.1") && !has(lock, "rmcp", "3.11") && !has(lock, "cp", "3.11.0"));
    }

    /// Returns the names and lower ends of version ranges in the manifest.
    fn ranges(manifest: &str) -> Vec<(&str, &str)> {
        let lines = manifest.lines().filter(|line| !line.starts_with('#'));
        let range = |line| {
            let (before, after): (&str, &str) = str::split_once(line, "\">=")?;
            let (name, _) = before.split_once(" = ")?;
            Some((name, after.split([',', '"']).next()?))
        };
        lines.filter_map(range).collect()
    }

    #[test]
    fn tests_every_range_at_its_lower_end() {
        let manifest = fs::read_to_string(workspace::root().join("Cargo.toml")).unwrap();
        let ranges = ranges(&manifest);
        assert!(!ranges.is_empty());
        for (name, lower) in ranges {
            let oldest = OLDEST.iter().find(|(oldest, _)| *oldest == name);
            let (_, version) =
                oldest.unwrap_or_else(|| panic!("`{name}` is a range and not tested at its lower end"));
            assert!(
                *version == lower || version.starts_with(&format!("{lower}.")),
                "{name}: {version}, {lower}"
            );
        }
    }
}
