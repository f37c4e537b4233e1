//! Rules for package metadata.

use std::collections::BTreeSet;
use std::path::Path;

use cargo_metadata::DependencyKind;

use crate::workspace::{self, LIBRARIES};

#[test]
fn all_crates_are_of_one_version_edition_and_license() {
    let stated = workspace::members().map(|package| {
        let rust = package.rust_version.as_ref().map(ToString::to_string);
        (package.version.to_string(), package.edition.to_string(), package.license.clone(), rust)
    });
    let stated: BTreeSet<_> = stated.collect();
    assert_eq!(stated.len(), 1, "{stated:?}");
    let manifest = workspace::toml("Cargo.toml");
    let version = manifest["workspace"]["package"]["version"].as_str().unwrap();
    for library in LIBRARIES {
        let required = manifest["workspace"]["dependencies"][library]["version"].as_str().unwrap();
        assert_eq!(required.trim_start_matches('='), version, "what is required of `{library}`");
    }
}

#[test]
fn the_libraries_can_be_published_and_nothing_else_can() {
    for package in workspace::members() {
        let name = package.name.as_str();
        let publishable = package.publish.as_ref().is_none_or(|registries| !registries.is_empty());
        assert_eq!(publishable, LIBRARIES.contains(&name), "whether `{name}` can be published");
    }
}

/// An exact requirement would prevent applications from choosing a version or getting its fixes.
#[test]
fn the_libraries_require_no_exact_version_of_another_library() {
    let packages = workspace::members().filter(|package| LIBRARIES.contains(&package.name.as_str()));
    for package in packages {
        let used = package.dependencies.iter().filter(|it| it.kind == DependencyKind::Normal);
        for dependency in used.filter(|it| !LIBRARIES.contains(&it.name.as_str())) {
            let required = dependency.req.to_string();
            assert!(!required.contains('=') || required.contains(">="), "{}: {required}", dependency.name);
        }
    }
}

#[test]
fn every_package_is_under_the_lints_of_the_workspace() {
    let lints = &workspace::toml("Cargo.toml")["workspace"]["lints"];
    assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("forbid"));
    for package in workspace::members() {
        let manifest = workspace::toml(&package.manifest_path);
        let inherited = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        assert_eq!(inherited, Some(true), "`{}`", package.name);
    }
}

/// Cargo links a test program for each library and program that does not say `test = false`, which costs seconds where there are no
/// tests. Where there are some, `test = false` would skip them.
#[test]
fn a_target_has_a_test_program_if_it_has_tests() {
    for package in workspace::members() {
        for target in package.targets.iter().filter(|target| target.is_lib() || target.is_bin()) {
            let root = target.src_path.as_std_path();
            let mut tests = false;
            visit_modules(root, root.parent().unwrap(), &mut |text| {
                tests |= ["#[test]", "::test]", "::test("].iter().any(|attribute| text.contains(attribute));
            });
            assert_eq!(target.test, tests, "`test` of `{}` in `{}`", target.name, package.name);
        }
    }
}

/// Visits the text of a file and of its modules, which are beside it or in a folder.
fn visit_modules(file: &Path, folder: &Path, visit: &mut impl FnMut(&str)) {
    let text = workspace::read(file);
    let named = |line: &str| {
        let (visibility, name) = line.strip_suffix(';')?.trim_start().split_once("mod ")?;
        (visibility.is_empty() || visibility.starts_with("pub")).then(|| name.to_owned())
    };
    for name in text.lines().filter_map(named) {
        let files = [folder.join(&name).with_extension("rs"), folder.join(&name).join("mod.rs")];
        if let Some(file) = files.iter().find(|file| file.exists()) {
            visit_modules(file, &folder.join(name), visit);
        }
    }
    visit(&text);
}

// The messages in `tests/ui` are those of one compiler version.
#[test]
fn the_toolchain_is_pinned() {
    let toolchain = &workspace::toml("rust-toolchain.toml")["toolchain"];
    assert_eq!(toolchain["channel"].as_str(), Some("1.95.0"));
    let components: Vec<_> =
        toolchain["components"].as_array().unwrap().iter().filter_map(|c| c.as_str()).collect();
    assert!(components.contains(&"clippy") && components.contains(&"rustfmt"), "{components:?}");
}

// A proc-macro crate cannot export functions, hence the link. The package contains the file itself.
#[test]
fn the_rule_for_patterns_exists_once() {
    let link = workspace::root().join("tool-core/src/schema/portable.rs");
    assert!(link.is_symlink(), "{} is a copy", link.display());
    let rule = workspace::root().join("tool-macros/src/check/portable.rs");
    assert_eq!(link.canonicalize().unwrap(), rule.canonicalize().unwrap());
}

#[test]
fn the_lock_file_is_committed() {
    let mut git = std::process::Command::new("git");
    let output = git.args(["ls-files", "Cargo.lock"]).current_dir(workspace::root()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Cargo.lock\n");
}
