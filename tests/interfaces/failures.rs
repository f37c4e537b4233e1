//! Every interface reports the failure of a tool: its kind, its place, and when to retry.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tool_core::{DynamicTool, Failure, FailureKind, Output, Registry, ToolDefinition, ToolError};

use crate::interfaces::Interfaces;

/// A failure of a tool, and its form on each interface.
struct Row {
    error: fn() -> Failure,
    /// Its name in JSON.
    kind: &'static str,
    /// What a tool that failed says beyond that.
    reason: Option<&'static str>,
    http: u16,
    exit: u8,
    retryable: bool,
    seconds: Option<u64>,
    text: &'static str,
}

fn rows() -> Vec<Row> {
    let row = |error, kind, http, exit, text| Row {
        error,
        kind,
        reason: None,
        http,
        exit,
        retryable: false,
        seconds: None,
        text,
    };
    let later = |row: Row, seconds| Row { retryable: true, seconds, ..row };
    let because = |reason, row: Row| Row { reason: Some(reason), ..row };
    vec![
        row(|| ToolError::failed("it rains").into(), "execution_failed", 500, 1, "it rains"),
        because(
            "not_found",
            row(|| ToolError::not_found("no such day").into(), "execution_failed", 404, 10, "no such day"),
        ),
        because("conflict", row(|| ToolError::conflict("sold").into(), "execution_failed", 409, 11, "sold")),
        row(|| ToolError::denied("not yours").into(), "access_denied", 403, 4, "not yours"),
        later(
            row(
                || ToolError::invalid("/from", "in the past").and_invalid("stay", "too long").into(),
                "invalid_input",
                422,
                5,
                "invalid input for `fails_4`: 2 problems\n- /from: in the past\n- /stay: too long",
            ),
            None,
        ),
        later(
            because(
                "unavailable",
                row(|| ToolError::unavailable("down").into(), "execution_failed", 503, 12, "down"),
            ),
            None,
        ),
        later(
            because(
                "unavailable",
                row(
                    || {
                        ToolError::unavailable("being built")
                            .with_retry_after(Duration::from_millis(1))
                            .into()
                    },
                    "execution_failed",
                    503,
                    12,
                    "being built\ntry again in 1 second",
                ),
            ),
            Some(1),
        ),
        later(
            row(
                || ToolError::retry_after(Duration::from_secs(90), "three a minute").into(),
                "rate_limited",
                429,
                14,
                "three a minute\ntry again in 90 seconds",
            ),
            Some(90),
        ),
        later(
            row(
                || Failure::new(FailureKind::Busy, "all lines are taken"),
                "busy",
                429,
                13,
                "all lines are taken\ntry again in 1 second",
            ),
            Some(1),
        ),
        // A failure of a nested call: the tool that the client called exists, and its JSON is valid.
        because(
            "not_found",
            row(
                || Failure::new(FailureKind::NotFound, "Tool not found: inner"),
                "execution_failed",
                404,
                10,
                "Tool not found: inner",
            ),
        ),
    ]
}

fn interfaces() -> Interfaces {
    Interfaces::of(|_| {
        let tools = rows().into_iter().enumerate().map(|(number, row)| {
            let definition = ToolDefinition::builder(format!("fails_{number}"), "Fails.");
            DynamicTool::new(definition.build().unwrap(), move |_, _: Map<String, Value>| async move {
                Err::<Output, _>((row.error)())
            })
        });
        tools.fold(Registry::builder(), tool_core::RegistryBuilder::tool)
    })
}

#[test]
fn reports_kind_and_retry_of_every_failure() {
    let interfaces = interfaces();
    for (number, row) in rows().into_iter().enumerate() {
        let name = format!("fails_{number}");

        let (status, wait, body) = interfaces.http_with_wait(&format!("/tools/{name}/call"), Some(b"{}"));
        assert_eq!(status, row.http, "{name}: {body}");
        assert_eq!(wait, row.seconds.map(|seconds| seconds.to_string()), "{name}");
        if body.get("isError").is_none() {
            assert_eq!((&body["kind"], &body["retryable"]), (&json!(row.kind), &json!(row.retryable)));
            assert_eq!(body.get("retryAfterSeconds"), row.seconds.map(Value::from).as_ref(), "{name}");
        } else {
            assert_eq!(body["content"][0]["text"], row.text);
        }

        let result = interfaces.mcp("tools/call", json!({"name": name, "arguments": {}}));
        assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(true), &json!(row.text)));
        let meta = &result["_meta"];
        assert_eq!(meta["tool-core/kind"], row.kind, "{name}");
        assert_eq!(meta.get("tool-core/reason").and_then(Value::as_str), row.reason, "{name}");
        assert_eq!(meta["tool-core/retryable"], row.retryable, "{name}");
        assert_eq!(meta.get("tool-core/retryAfterSeconds"), row.seconds.map(Value::from).as_ref(), "{name}");

        let (code, body) = interfaces.cli(&["run", &name, "--yes", "--format", "json"]);
        assert_eq!((code, &body["error_type"]), (row.exit, &json!(row.kind)), "{name}");
        assert_eq!(body["retryable"], row.retryable, "{name}");
        assert_eq!(body.get("retry_after_seconds"), row.seconds.map(Value::from).as_ref(), "{name}");
    }
}

#[test]
fn reports_paths_of_problems_found_by_tools() {
    let interfaces = interfaces();
    let expected = json!([
        {"path": "/from", "message": "in the past", "keyword": "tool"},
        {"path": "/stay", "message": "too long", "keyword": "tool"},
    ]);
    let (_, _, body) = interfaces.http_with_wait("/tools/fails_4/call", Some(b"{}"));
    assert_eq!(body["problems"], expected);
    let (_, body) = interfaces.cli(&["run", "fails_4", "--yes", "--format", "json"]);
    assert_eq!(body["problems"], expected);
}

/// The README of the command line, with its table of exit codes.
const README: &str = include_str!("../../tool-cli/README.md");

#[test]
fn documents_every_exit_code() {
    let (_, table) = README.split_once("| exit code | means |\n").unwrap();
    let rows = table.lines().skip(1).map_while(|line| line.strip_prefix("| ")?.split_once(" | "));
    let documented: Vec<u8> = rows.map(|(code, _)| code.parse().unwrap()).collect();
    assert!(documented.is_sorted_by(|one, next| one < next), "{documented:?}");
    for row in self::rows() {
        assert!(documented.contains(&row.exit), "{} is not in the README", row.exit);
    }
}
