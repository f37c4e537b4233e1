//! The declarations of this example pass the lint and match the lock file.

use content::{Settings, Site};
use tool_core::Registry;
use tool_core::lint::lint;
use tool_core::lock::Lock;

fn registry() -> Registry {
    content::registry(Site::at("unused"), Settings::default()).unwrap()
}

#[test]
fn has_no_lint_findings() {
    registry().check().unwrap();
    let findings: Vec<String> = lint(&registry()).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}

#[test]
fn matches_the_lock_file() {
    let recorded: Lock = include_str!("../../tools.lock").parse().unwrap();
    let differences: Vec<String> =
        recorded.compare(&Lock::of(&registry())).iter().map(ToString::to_string).collect();
    assert!(
        differences.is_empty(),
        "record them with `content lock --file examples/content/tools.lock`:\n{}",
        differences.join("\n")
    );
    assert_eq!(Lock::of(&registry()).to_string(), include_str!("../../tools.lock"));
}

#[test]
fn creates_no_file_when_describing_tools() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("museum.sqlite");
    let registry = content::registry(Site::at(&path), Settings::default()).unwrap();
    registry.check().unwrap();
    assert!(lint(&registry).is_empty());
    assert!(!registry.requirements("publish_node").unwrap().met);
    assert!(!path.exists());
}
