//! The step that builds each library from what would be published.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::failure::Failure;
use crate::process::Invocation;
use crate::tally::Tally;
use crate::workspace;

/// Checks each library from its archive against the archives of the others, published or not.
///
/// `cargo package` would do so by itself. But it compiles each third-party library to machine code again, for the features that each
/// of ours asks for alone; for a missing file or feature, the check is enough.
pub(crate) fn package(_: &mut Tally) -> Result<(), Failure> {
    let target = workspace::target();
    let (archives, folder) = (target.join("package"), target.join("packaged"));
    emptied(&archives).map_err(|source| file(&archives, source))?;
    emptied(&folder).map_err(|source| file(&folder, source))?;
    // Without a choice of packages cargo takes the default members, which are the libraries.
    let package = Invocation::cargo(["package", "--locked", "--no-verify"]);
    // Uncommitted changes are an error on CI only.
    let package = if workspace::on_ci() { package } else { package.arguments(["--allow-dirty"]) };
    package.env("CARGO_TARGET_DIR", &target).announce().run()?;
    let packages = unpack(&archives, &folder)?;
    prepare(&packages, &folder).map_err(|source| file(&folder, source))?;
    for package in &packages {
        // Each one alone: together, they would enable each other's features.
        Invocation::cargo(["check", "--package", &package.name])
            .env("CARGO_TARGET_DIR", &target)
            .folder(&folder)
            .announce()
            .run()?;
    }
    if packages.is_empty() { Err(Failure::NoTests) } else { Ok(()) }
}

/// An unpacked archive.
#[derive(Debug, PartialEq)]
struct Unpacked {
    /// The name of the package.
    name: String,
    /// The name of its folder: with the version.
    folder: String,
}

/// Unpacks each archive into a folder.
fn unpack(archives: &Path, folder: &Path) -> Result<Vec<Unpacked>, Failure> {
    let entries = fs::read_dir(archives).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|source| file(archives, source))?;
    let mut archives: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    archives.retain(|path| path.extension() == Some(OsStr::new("crate")));
    archives.sort();
    let mut packages = Vec::new();
    for archive in archives {
        // With the current time: cargo looks at times, and those in archives are always the same.
        Invocation::of("tar").arguments(["-xzmf"]).arguments([&archive]).folder(folder).run()?;
        let name = archive.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        packages.extend(unpacked(&name));
    }
    Ok(packages)
}

/// Returns the package in a folder named `NAME-VERSION`.
fn unpacked(folder: &str) -> Option<Unpacked> {
    let (at, _) = folder
        .match_indices('-')
        .find(|(at, _)| folder[at + 1..].starts_with(|first: char| first.is_ascii_digit()))?;
    Some(Unpacked { name: folder[..at].to_owned(), folder: folder.to_owned() })
}

/// Makes a workspace of the packages, in which they stand for those of crates.io, with the versions that are locked.
fn prepare(packages: &[Unpacked], folder: &Path) -> io::Result<()> {
    fs::write(folder.join("Cargo.toml"), manifest(packages))?;
    fs::copy(workspace::root().join("Cargo.lock"), folder.join("Cargo.lock")).map(drop)
}

fn manifest(packages: &[Unpacked]) -> String {
    let patches: Vec<String> =
        packages.iter().map(|it| format!("{} = {{ path = {:?} }}\n", it.name, it.folder)).collect();
    format!("[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n{}", patches.concat())
}

/// Creates a folder without content.
fn emptied(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}

fn file(path: &Path, source: io::Error) -> Failure {
    Failure::File { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_name_of_a_package_from_its_folder() {
        for (folder, name) in
            [("tool-core-0.1.0", "tool-core"), ("tool-core-macros-1.0.0-rc.1", "tool-core-macros")]
        {
            let expected = Unpacked { name: name.to_owned(), folder: folder.to_owned() };
            assert_eq!(unpacked(folder), Some(expected));
        }
        assert_eq!(unpacked("tool-core"), None);
    }

    #[test]
    fn puts_packages_in_the_place_of_those_of_crates_io() {
        let manifest = manifest(&[unpacked("a-b-0.1.0").unwrap()]);
        assert!(manifest.ends_with("[patch.crates-io]\na-b = { path = \"a-b-0.1.0\" }\n"), "{manifest}");
    }

    #[test]
    fn unpacks_archives_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("xtask-package-{}", std::process::id()));
        let (archives, out) = (folder.join("archives"), folder.join("out"));
        emptied(&archives).unwrap();
        emptied(&out).unwrap();
        fs::create_dir(archives.join("a-0.1.0")).unwrap();
        fs::write(archives.join("a-0.1.0/Cargo.toml"), "[package]").unwrap();
        let tar = Invocation::of("tar").arguments(["-czf", "a-0.1.0.crate", "a-0.1.0"]);
        tar.folder(&archives).run().unwrap();
        assert_eq!(unpack(&archives, &out).unwrap(), [unpacked("a-0.1.0").unwrap()]);
        assert_eq!(fs::read_to_string(out.join("a-0.1.0/Cargo.toml")).unwrap(), "[package]");
        fs::remove_dir_all(folder).unwrap();
    }
}
