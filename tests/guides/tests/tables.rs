//! Checks that tables of the guides say what the code does.

use std::collections::BTreeSet;
use std::time::Duration;

use tool_core::failure::McpAnswer;
use tool_core::{FailureKind, ToolError};

const ERRORS: &str = include_str!("../../../docs/src/errors.md");
const OPTIONS: &str = include_str!("../../../docs/src/options.md");
const TOOL: &str = include_str!("../../../tool-core/docs/tool.md");

/// The answer to most failures of a tool that is read as a resource, which the page says below the table.
const READ: &str = "-32603";

/// Returns the cells of the rows of tables that contain a text.
fn rows<'p>(page: &'p str, text: &str) -> impl Iterator<Item = Vec<&'p str>> {
    let rows = page.lines().filter(move |line| line.starts_with('|') && line.contains(text));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// Asserts that a row has the HTTP status, the exit code and the answers over MCP of a failure, from its third cell on.
fn assert_codes(kind: FailureKind, row: &[&str]) {
    let codes = kind.codes();
    let [_, _, http, exit, mcp] = row[..] else { panic!("{} cells instead of 5: {row:?}", row.len()) };
    assert_eq!((http, exit), (&*codes.http.to_string(), &*codes.exit.to_string()), "{row:?}");
    let call = match codes.mcp_call {
        McpAnswer::IsError => "`isError`".to_owned(),
        other => other.code(true).unwrap().to_string(),
    };
    assert_eq!(mcp.split([',', ';']).next().unwrap(), call, "{row:?}");
    // What resources are answered is said where it differs from that of most failures, and from that of a call.
    let read = codes.mcp_read.code(true).unwrap().to_string();
    let is_named = mcp.contains(&format!("; {read} for a resource"));
    assert_eq!(is_named, read != READ && read != call, "{row:?}");
    assert_eq!(mcp.contains("for a resource"), is_named, "{row:?}");
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
        assert_codes(error.kind(), row);
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
        assert_codes(kind, row);
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
