//! Checks that tables of the guides say what the code does.

use std::collections::BTreeSet;
use std::time::Duration;

use tool_core::{FailureKind, ToolError};

const ERRORS: &str = include_str!("../../../docs/src/errors.md");
const OPTIONS: &str = include_str!("../../../docs/src/options.md");
const TOOL: &str = include_str!("../../../tool-core/docs/tool.md");

/// Returns the cells of the rows of tables that contain a text.
fn rows<'p>(page: &'p str, text: &str) -> impl Iterator<Item = Vec<&'p str>> {
    let rows = page.lines().filter(move |line| line.starts_with('|') && line.contains(text));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// Asserts that the cells have the HTTP status and the exit code of a failure.
fn assert_codes(kind: FailureKind, http: &str, exit: &str, row: &[&str]) {
    let codes = kind.codes();
    assert_eq!((http, exit), (&*codes.http.to_string(), &*codes.exit.to_string()), "{row:?}");
}

#[test]
fn the_errors_of_tools_have_the_codes_of_the_page() {
    let errors = [
        ("failed", ToolError::failed("")),
        ("not_found", ToolError::not_found("")),
        ("conflict", ToolError::conflict("")),
        ("unavailable", ToolError::unavailable("")),
        ("retry_after", ToolError::retry_after(Duration::from_secs(1), "")),
        ("invalid", ToolError::invalid("/a", "")),
        ("denied", ToolError::denied("")),
    ];
    for (name, error) in errors {
        let found: Vec<_> = rows(ERRORS, &format!("`ToolError::{name}`")).collect();
        let [row] = &found[..] else { panic!("{name}: {found:?}") };
        assert_codes(error.kind(), row[2], row[3], row);
    }
}

#[test]
fn the_other_failures_have_the_codes_of_the_page() {
    let failures = [
        ("the tool does not exist", FailureKind::NotFound),
        ("a permission is missing", FailureKind::Denied),
        ("a requirement", FailureKind::Unmet),
        ("the time limit is over", FailureKind::Timeout),
        ("too many calls at once", FailureKind::Busy),
        ("the function panics", FailureKind::Internal),
        ("the output does not fit its schema", FailureKind::Internal),
    ];
    for (cause, kind) in failures {
        let found: Vec<_> = rows(ERRORS, &format!("| {cause}")).collect();
        let [row] = &found[..] else { panic!("{cause}: {found:?}") };
        assert_codes(kind, row[2], row[3], row);
    }
}

/// The tables of `tool.md` begin each row with the option as code.
#[test]
fn the_page_of_options_names_every_option() {
    let (tables, _) = TOOL.split_once("# Schemas of types").unwrap();
    let mut options = BTreeSet::new();
    for row in tables.lines().filter(|line| line.starts_with("| [`") || line.starts_with("| `")) {
        let option = row.split('`').nth(1).unwrap().trim_start_matches("#[arg(");
        options.insert(option.split([' ', '(', ')', '=']).next().unwrap());
    }
    // The doc comment of an input.
    options.remove("///");
    assert!(options.len() > 25, "{options:?}");
    let is_named =
        |name: &&&str| ["`", "#[arg("].iter().any(|before| OPTIONS.contains(&format!("{before}{name}")));
    let missing: Vec<_> = options.iter().filter(|name| !is_named(name)).collect();
    assert!(missing.is_empty(), "`options.md` does not name {missing:?}");
}
