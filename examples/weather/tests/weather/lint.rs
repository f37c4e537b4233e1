//! The declarations of this example pass the lint.

#[test]
fn has_no_lint_findings() {
    let findings: Vec<String> = tool_core::lint::lint(&weather::registry("reports.jsonl").unwrap())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}
