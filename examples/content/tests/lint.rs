//! The declarations of this example are as good as the lint knows to ask for, and promise what is recorded.

use content::{Settings, Site};
use tool_core::Registry;
use tool_core::lint::lint;
use tool_core::lock::Lock;

fn registry() -> Registry {
    content::registry(Site::at("unused"), Settings::default()).unwrap()
}

#[test]
fn the_lint_finds_nothing() {
    registry().check().unwrap();
    let findings: Vec<String> = lint(&registry()).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}

#[test]
fn what_the_tools_promise_is_recorded() {
    let recorded: Lock = include_str!("../tools.lock").parse().unwrap();
    let differences: Vec<String> =
        recorded.compare(&Lock::of(&registry())).iter().map(ToString::to_string).collect();
    assert!(
        differences.is_empty(),
        "record them with `content lock --file examples/content/tools.lock`:\n{}",
        differences.join("\n")
    );
    assert_eq!(Lock::of(&registry()).to_string(), include_str!("../tools.lock"));
}

// What describes a tool must not wait for a file, nor make one.
#[test]
fn describing_the_tools_touches_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("museum.sqlite");
    let registry = content::registry(Site::at(&path), Settings::default()).unwrap();
    registry.check().unwrap();
    assert!(lint(&registry).is_empty());
    assert!(!registry.requirements("publish_node").unwrap().met);
    assert!(!path.exists());
}
