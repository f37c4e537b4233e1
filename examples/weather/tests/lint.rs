//! The declarations of this example are as good as the lint knows to ask for.

#[test]
fn the_lint_finds_nothing() {
    let findings: Vec<String> =
        weather::registry("reports.jsonl").unwrap().lint().iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}
