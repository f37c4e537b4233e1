//! The step that tests the oldest versions that `Cargo.toml` allows; `Cargo.lock` has the newest.

use std::path::Path;
use std::{fs, io};

use crate::failure::Failure;
use crate::process::Invocation;
use crate::steps::cargo;
use crate::tally::Tally;
use crate::workspace;

/// The lower end of each range that spans versions which are not compatible by their number, or that says one.
const OLDEST: &[(&str, &str)] = &[("jsonschema", "0.60.2"), ("rmcp", "3.11.0"), ("rmcp-macros", "3.11.0")];

/// The test targets that use these libraries.
const TESTS: [&str; 4] = ["mcp", "rmcp_client", "tools", "upstream"];

/// The manifest of an application that has libraries of ours beside its own rmcp.
const BESIDE: &str = "tests/beside/Cargo.toml";

/// Runs the tests with a lock file that has the oldest versions, and those of an application beside us with its newest rmcp and
/// with the oldest.
pub(crate) fn oldest(tally: &mut Tally) -> Result<(), Failure> {
    let target = workspace::target();
    let folder = target.join("oldest");
    mirror(&workspace::root(), &folder)
        .map_err(|source| Failure::File { path: folder.display().to_string(), source })?;
    for (name, version) in OLDEST {
        let update = ["update", "--quiet", name, "--precise", version];
        Invocation::cargo(update).folder(&folder).announce().run()?;
    }
    // Features of the whole workspace, to reuse what other steps have compiled.
    let test = Invocation::cargo(["test", "--workspace", "--locked", "--no-fail-fast"]);
    let test = TESTS.iter().fold(test, |test, name| test.arguments(["--test", name]));
    cargo::counted(test.folder(&folder).env("CARGO_TARGET_DIR", &target), tally)?;
    let update = |arguments: &[&str]| {
        Invocation::cargo(["update", "--manifest-path", BESIDE]).arguments(arguments).announce().run()
    };
    let mut test = || {
        let test = Invocation::cargo(["test", "--manifest-path", BESIDE, "--locked", "--no-fail-fast"]);
        cargo::counted(test.env("CARGO_TARGET_DIR", &target), tally)
    };
    // Its lock file is not checked in, and an earlier run may have left one.
    update(&[])?;
    test()?;
    for (name, version) in OLDEST.iter().filter(|(name, _)| name.starts_with("rmcp")) {
        update(&[name, "--precise", version])?;
    }
    test()
}

/// Creates a folder with links to the workspace, and a copy of its lock file.
fn mirror(root: &Path, folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name();
        let link = folder.join(&name);
        match name.to_str() {
            Some("target" | ".git") => {}
            Some("Cargo.lock") => drop(fs::copy(entry.path(), link)?),
            _ => linked(&entry.path(), &link)?,
        }
    }
    Ok(())
}

#[cfg(unix)]
fn linked(original: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

#[cfg(windows)]
fn linked(original: &Path, link: &Path) -> io::Result<()> {
    if original.is_dir() {
        std::os::windows::fs::symlink_dir(original, link)
    } else {
        std::os::windows::fs::symlink_file(original, link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn gives_a_mirror_its_own_lock_file() {
        let folder = std::env::temp_dir().join(format!("xtask-mirror-{}", std::process::id()));
        let (root, mirrored) = (folder.join("root"), folder.join("mirrored"));
        fs::create_dir_all(root.join("target")).unwrap();
        fs::create_dir_all(root.join("package")).unwrap();
        fs::write(root.join("Cargo.lock"), "newest").unwrap();
        for _ in 0..2 {
            mirror(&root, &mirrored).unwrap();
            fs::write(mirrored.join("Cargo.lock"), "oldest").unwrap();
        }
        assert_eq!(fs::read_to_string(root.join("Cargo.lock")).unwrap(), "newest");
        assert!(mirrored.join("package").is_dir());
        assert!(!mirrored.join("target").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
