//! The declarations of this example are as good as the lint knows to ask for.

#[test]
fn the_lint_finds_nothing() {
    let findings: Vec<String> = tool_core::lint::lint(&weather::registry("reports.jsonl").unwrap())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}
