//! Every kind of difference, and the text of a lock.

mod schemas;
mod service;
mod values;

use std::collections::BTreeMap;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Change, DifferenceKind as Kind, Lock, LockError};

/// The tool that all rows of the table start from.
fn tool() -> Value {
    json!({
        "description": "Finds days.",
        "operation": "read",
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        "inputSchema": {
            "type": "object",
            "properties": {"limit": {"type": "integer", "default": 20}},
            "additionalProperties": false
        }
    })
}

/// Returns the tool with changed members; `null` removes a member.
fn with(changes: Value) -> Value {
    let mut tool = tool();
    let Value::Object(changes) = changes else { panic!("not an object") };
    for (name, value) in changes {
        tool[name] = value;
    }
    tool.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    tool
}

fn lock(tools: &[(&str, Value)]) -> Lock {
    let entry =
        |(name, tool): &(&str, Value)| ((*name).to_owned(), serde_json::from_value(tool.clone()).unwrap());
    Lock { tools: tools.iter().map(entry).collect(), prompts: BTreeMap::new() }
}

fn hints(changes: Value) -> Value {
    let mut hints = tool()["annotations"].clone();
    let Value::Object(changes) = changes else { panic!("not an object") };
    hints.as_object_mut().unwrap().extend(changes);
    json!({"annotations": hints})
}

/// Changes of one tool: before, after, and the differences by kind and location.
type Row = (Value, Value, &'static [(Kind, &'static str)]);

fn rows() -> Vec<Row> {
    let output =
        |kind: &str| json!({"outputSchema": {"type": "object", "properties": {"n": {"type": kind}}}});
    vec![
        (json!({}), json!({}), &[]),
        (json!({}), json!({"title": "Days"}), &[(Kind::TextChanged, "title")]),
        (json!({}), json!({"description": "Finds other days."}), &[(Kind::TextChanged, "description")]),
        (json!({"tags": ["a"]}), json!({"tags": ["b"]}), &[(Kind::TagsChanged, "tags")]),
        (json!({"meta": {"a": 1}}), json!({"meta": {"a": 2}}), &[(Kind::MetaChanged, "meta")]),
        (json!({}), json!({"meta": {"a": 2}}), &[(Kind::MetaChanged, "meta")]),
        (json!({"ui": {"html": "0a"}}), json!({"ui": {"html": "0b"}}), &[(Kind::UiChanged, "ui")]),
        (json!({}), json!({"deprecated": {"note": "old"}}), &[(Kind::DeprecationChanged, "deprecated")]),
        (
            json!({"deprecated": {"note": "a"}}),
            json!({"deprecated": {"note": "b"}}),
            &[(Kind::DeprecationChanged, "deprecated")],
        ),
        (json!({"alias": "a"}), json!({}), &[(Kind::AliasRemoved, "alias")]),
        (json!({}), json!({"alias": "a"}), &[(Kind::AliasAdded, "alias")]),
        (
            json!({"alias": "a"}),
            json!({"alias": "b"}),
            &[(Kind::AliasRemoved, "alias"), (Kind::AliasAdded, "alias")],
        ),
        (json!({}), json!({"operation": "write"}), &[(Kind::OperationWeakened, "operation")]),
        (json!({"operation": "write"}), json!({}), &[(Kind::OperationStrengthened, "operation")]),
        (json!({}), json!({"operation": "explain"}), &[(Kind::OperationStrengthened, "operation")]),
        (json!({"operation": "explain"}), json!({}), &[(Kind::OperationStrengthened, "operation")]),
        (json!({}), json!({"operation": "transform"}), &[(Kind::OperationWeakened, "operation")]),
        (json!({"operation": "transform"}), json!({}), &[(Kind::OperationStrengthened, "operation")]),
        (
            json!({"operation": "transform"}),
            json!({"operation": "trigger"}),
            &[(Kind::OperationWeakened, "operation")],
        ),
        (
            json!({"operation": "trigger"}),
            json!({"operation": "write"}),
            &[(Kind::OperationWeakened, "operation")],
        ),
        (
            json!({"operation": "write"}),
            json!({"operation": "trigger"}),
            &[(Kind::OperationWeakened, "operation")],
        ),
        (json!({}), json!({"operation": null}), &[(Kind::OperationWeakened, "operation")]),
        (json!({"operation": null}), json!({}), &[(Kind::OperationStrengthened, "operation")]),
        (json!({}), hints(json!({"destructiveHint": true})), &[(Kind::DestructiveGained, "destructiveHint")]),
        (hints(json!({"destructiveHint": true})), json!({}), &[(Kind::DestructiveLost, "destructiveHint")]),
        (json!({}), hints(json!({"idempotentHint": false})), &[(Kind::IdempotentLost, "idempotentHint")]),
        (hints(json!({"idempotentHint": false})), json!({}), &[(Kind::IdempotentGained, "idempotentHint")]),
        (json!({}), hints(json!({"openWorldHint": true})), &[(Kind::OpenWorldGained, "openWorldHint")]),
        (hints(json!({"openWorldHint": true})), json!({}), &[(Kind::OpenWorldLost, "openWorldHint")]),
        (
            json!({"operation": null}),
            json!({"operation": null, "annotations": {"destructiveHint": false, "idempotentHint": true, "openWorldHint": false}}),
            &[(Kind::OperationWeakened, "readOnlyHint")],
        ),
        // A missing hint counts as the worst case.
        (
            json!({}),
            json!({"annotations": null}),
            &[
                (Kind::DestructiveGained, "destructiveHint"),
                (Kind::IdempotentLost, "idempotentHint"),
                (Kind::OpenWorldGained, "openWorldHint"),
                (Kind::OperationWeakened, "readOnlyHint"),
            ],
        ),
        (
            json!({"annotations": {}}),
            json!({"annotations": {"openWorldHint": true}}),
            &[(Kind::TextChanged, "annotations")],
        ),
        (json!({}), json!({"permission": "a"}), &[(Kind::PermissionTightened, "permission")]),
        (json!({"permission": "a"}), json!({}), &[(Kind::PermissionRelaxed, "permission")]),
        (
            json!({"permission": "all(a, b)"}),
            json!({"permission": "b"}),
            &[(Kind::PermissionRelaxed, "permission")],
        ),
        (
            json!({"permission": "b"}),
            json!({"permission": "all(a, b)"}),
            &[(Kind::PermissionTightened, "permission")],
        ),
        (
            json!({"permission": "a"}),
            json!({"permission": "any(a, b)"}),
            &[(Kind::PermissionRelaxed, "permission")],
        ),
        (
            json!({"permission": "any(a, b)"}),
            json!({"permission": "a"}),
            &[(Kind::PermissionTightened, "permission")],
        ),
        (
            json!({"permission": "any(a, b)"}),
            json!({"permission": "any(a, b, c)"}),
            &[(Kind::PermissionRelaxed, "permission")],
        ),
        (
            json!({"permission": "any(a, b, c)"}),
            json!({"permission": "any(a, b)"}),
            &[(Kind::PermissionTightened, "permission")],
        ),
        (
            json!({"permission": "all(a, b)"}),
            json!({"permission": "any(a, c)"}),
            &[(Kind::PermissionRelaxed, "permission")],
        ),
        (
            json!({"permission": "any(a, b)"}),
            json!({"permission": "all(a, b)"}),
            &[(Kind::PermissionTightened, "permission")],
        ),
        (
            json!({"permission": "a"}),
            json!({"permission": "b"}),
            &[(Kind::PermissionTightened, "permission")],
        ),
        (json!({}), json!({"requires": 1}), &[(Kind::RequirementAdded, "requires")]),
        (json!({"requires": 2}), json!({"requires": 1}), &[(Kind::RequirementRemoved, "requires")]),
        (json!({"returns": "text"}), json!({"returns": "nothing"}), &[(Kind::ReturnsChanged, "output")]),
        (json!({"returns": "text"}), json!({"returns": "content"}), &[(Kind::ReturnsChanged, "output")]),
        // A lock of an earlier version.
        (json!({}), json!({"returns": "text"}), &[(Kind::TextChanged, "output")]),
        (json!({}), json!({"guarded": true}), &[(Kind::GuardAdded, "access")]),
        (json!({"guarded": true}), json!({}), &[(Kind::GuardRemoved, "access")]),
        (json!({}), json!({"task": "optional"}), &[(Kind::TaskAdded, "task")]),
        (json!({}), json!({"task": "required"}), &[(Kind::TaskBecameRequired, "task")]),
        (json!({"task": "optional"}), json!({"task": "required"}), &[(Kind::TaskBecameRequired, "task")]),
        (json!({"task": "required"}), json!({"task": "optional"}), &[(Kind::TaskBecameOptional, "task")]),
        (json!({"task": "optional"}), json!({}), &[(Kind::TaskRemoved, "task")]),
        (json!({"task": "required"}), json!({}), &[(Kind::TaskRemoved, "task")]),
        (json!({}), json!({"path": "day/{date}"}), &[(Kind::AddressChanged, "path")]),
        (json!({"locators": ["a"]}), json!({"locators": ["a", "b"]}), &[(Kind::AddressChanged, "locators")]),
        (json!({}), output("string"), &[(Kind::OutputSchemaAdded, "output")]),
        (output("string"), json!({}), &[(Kind::OutputSchemaRemoved, "output")]),
        (output("string"), output("integer"), &[(Kind::OutputReplaced, "output /n")]),
    ]
}

#[test]
fn reports_the_differences_of_each_row() {
    for (before, after, expected) in rows() {
        let (old, new) = (lock(&[("find", with(before))]), lock(&[("find", with(after))]));
        let differences = old.compare(&new);
        let found: Vec<_> = differences.iter().map(|it| (it.kind, it.location.as_str())).collect();
        assert_eq!(found, expected, "{differences:#?}");
        assert_eq!(old.digest() == new.digest(), expected.is_empty());
        assert!(differences.iter().all(|it| it.tool == "find" && !it.text.is_empty()));
    }
}

#[test]
fn reports_lost_addresses() {
    let inputs = |changes: Value, names: &[&str]| {
        let mut tool = with(changes);
        tool["inputSchema"]["properties"] =
            names.iter().map(|name| (*name, json!({"type": "string"}))).collect();
        tool
    };
    let found = |old: (&str, Value), new: (&str, Value)| -> Vec<(Kind, String)> {
        let differences = lock(&[old]).compare(&lock(&[new]));
        differences.into_iter().map(|it| (it.kind, it.location)).collect()
    };
    let (added, lost) =
        ((Kind::InputAdded, "input /raw".to_owned()), (Kind::AddressChanged, "path".to_owned()));
    let by_day = || inputs(json!({"locators": ["day"]}), &["day"]);
    let and_raw = inputs(json!({"locators": ["day"]}), &["day", "raw"]);
    assert_eq!(found(("a", by_day()), ("a", and_raw)), [lost.clone(), added.clone()]);
    let fixed = inputs(json!({}), &[]);
    assert_eq!(found(("a", fixed), ("a", inputs(json!({}), &["raw"]))), [lost.clone(), added.clone()]);
    let computed = |names: &[&str]| inputs(json!({"operation": "transform"}), names);
    assert_eq!(found(("a", computed(&[])), ("a", computed(&["raw"]))), [added]);
    // Without `path`, the name of the tool is its first segment.
    let kept = inputs(json!({"locators": ["day"], "alias": "a"}), &["day"]);
    assert_eq!(found(("a", by_day()), ("b", kept)), [(Kind::ToolRenamedKept, String::new()), lost]);
    let path = |alias: Option<&str>| {
        inputs(json!({"locators": ["day"], "path": "d/{day}", "alias": alias}), &["day"])
    };
    assert_eq!(found(("a", path(None)), ("b", path(Some("a")))), [(Kind::ToolRenamedKept, String::new())]);
}

#[test]
fn reports_added_removed_and_renamed_tools() {
    let other = || with(json!({"description": "Does something else."}));
    let aliased = |alias: &str| with(json!({"alias": alias}));
    type Case = (Vec<(&'static str, Value)>, Vec<(&'static str, Value)>, Vec<(Kind, &'static str)>);
    let cases: Vec<Case> = vec![
        (vec![], vec![("a", tool())], vec![(Kind::ToolAdded, "a")]),
        (vec![("a", tool())], vec![], vec![(Kind::ToolRemoved, "a")]),
        (vec![("a", tool())], vec![("b", other())], vec![(Kind::ToolRemoved, "a"), (Kind::ToolAdded, "b")]),
        (vec![("a", tool())], vec![("b", tool())], vec![(Kind::ToolRenamed, "b")]),
        (vec![("a", tool())], vec![("b", aliased("a"))], vec![(Kind::ToolRenamedKept, "b")]),
        // The old alias is removed as well.
        (
            vec![("a", aliased("x"))],
            vec![("b", aliased("a"))],
            vec![(Kind::ToolRenamedKept, "b"), (Kind::AliasRemoved, "b")],
        ),
        // Name and alias are swapped: earlier calls still work.
        (vec![("a", aliased("b"))], vec![("b", aliased("a"))], vec![(Kind::ToolRenamedKept, "b")]),
        // Two equal tools: each is renamed once.
        (
            vec![("a", tool()), ("b", tool())],
            vec![("c", tool()), ("d", tool())],
            vec![(Kind::ToolRenamed, "c"), (Kind::ToolRenamed, "d")],
        ),
        // A renamed tool is compared as well.
        (
            vec![("a", tool())],
            vec![("b", with(json!({"alias": "a", "title": "B"})))],
            vec![(Kind::ToolRenamedKept, "b"), (Kind::TextChanged, "b")],
        ),
    ];
    for (old, new, expected) in cases {
        let differences = lock(&old).compare(&lock(&new));
        let found: Vec<_> = differences.iter().map(|it| (it.kind, it.tool.as_str())).collect();
        assert_eq!(found, expected, "{old:?} {new:?}");
    }
}

#[test]
fn covers_every_kind() {
    let tools = [Kind::ToolAdded, Kind::ToolRemoved, Kind::ToolRenamed, Kind::ToolRenamedKept];
    let of_tools = rows().into_iter().flat_map(|(_, _, found)| found.iter().map(|(kind, _)| *kind));
    let of_schemas = schemas::rows().into_iter().flat_map(|row| row.kinds());
    let seen: BTreeSet<Kind> = tools.into_iter().chain(of_tools).chain(of_schemas).collect();
    let missing: Vec<_> = Kind::ALL.iter().filter(|kind| !seen.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn round_trips_the_text() {
    let tool = with(json!({
        "title": "Days",
        "permission": "any(a, b)",
        "guarded": true,
        "tags": ["x"],
        "path": "day/{date}",
        "locators": ["date"],
        "alias": "old",
        "deprecated": {"since": "1", "note": "n"},
        "outputSchema": {"type": "object", "properties": {"n": {"maximum": 18_446_744_073_709_551_615_u64, "minimum": 1.5}}}
    }));
    let lock = lock(&[("b", tool), ("a", self::tool())]);
    let text = lock.to_string();
    let read: Lock = text.parse().unwrap();
    assert_eq!(read, lock);
    assert_eq!(read.digest(), lock.digest());
    assert_eq!(read.to_string(), text);
    assert!(text.ends_with("}\n") && text.contains("\"maximum\": 18446744073709551615"), "{text}");
    // Sorted, one value per line: changing a value changes one line and the digest.
    let start = text.find("    \"a\": {").unwrap();
    let end = text.find("    \"b\": {").unwrap();
    assert_eq!(
        &text[start..end],
        format!(
            r#"    "a": {{
      "annotations": {{
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": false,
        "readOnlyHint": true
      }},
      "description": "Finds days.",
      "digest": "{}",
      "inputSchema": {{
        "additionalProperties": false,
        "properties": {{
          "limit": {{
            "default": 20,
            "type": "integer"
          }}
        }},
        "type": "object"
      }},
      "operation": "read"
    }},
"#,
            lock.tools["a"].digest("a")
        )
    );
}

#[test]
fn includes_names_in_the_digest() {
    assert_ne!(lock(&[("a", tool())]).digest(), lock(&[("b", tool())]).digest());
}

#[test]
fn rejects_invalid_locks() {
    let text = lock(&[("a", tool())]).to_string();
    let refused = |text: &str| text.parse::<Lock>().unwrap_err();
    assert!(matches!(refused(""), LockError::NoLock { .. }));
    assert!(matches!(refused(&text.replace("\"tools\"", "\"tool\"")), LockError::NoLock { .. }));
    assert!(matches!(refused(&text.replace("\"read\"", "\"reads\"")), LockError::NoLock { .. }));
    assert!(matches!(refused(&format!("<<<<<<< ours\n{text}")), LockError::NoLock { .. }));
    assert_eq!(refused(&text.replace("\"version\": 1", "\"version\": 2")), LockError::Version { found: 2 });
    let edited = LockError::Edited { tool: "a".to_owned() };
    assert_eq!(refused(&text.replace("Finds days.", "Finds nights.")), edited);
    // An unknown member is an error.
    assert_eq!(refused(&text.replace("\"operation\"", "\"operations\"")), edited);
}

#[test]
fn renders_differences_by_tool_with_their_reason() {
    let narrower =
        with(json!({"inputSchema": {"type": "object", "properties": {}, "additionalProperties": false}}));
    let old = lock(&[("b", tool()), ("a", tool())]);
    let new = lock(&[("b", narrower), ("c", tool())]);
    let lines: Vec<String> = old.compare(&new).iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "breaking: `b`, input /limit: it is gone (a call that gives it is refused)",
            "breaking: `c`: it was named `a`: `alias = \"a\"` would keep that (a call by the old name fails)",
        ]
    );
    let json = serde_json::to_string(&old.compare(&new)[0]).unwrap();
    assert_eq!(
        json,
        r#"{"code":"input-removed","change":"breaking","tool":"b","place":"input /limit","text":"it is gone"}"#
    );
    assert!(Change::Compatible < Change::Breaking, "the worst of several is the greatest");
}
