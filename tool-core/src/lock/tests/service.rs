//! Comparing with the list of a running service.

use serde_json::{Value, json};

use super::{lock, with};
use crate::lock::{Change, DifferenceKind as Kind, Lock, LockError};

/// Returns the list of a service with the tool of these changes, without what a list does not have.
fn list(name: &str, changes: Value) -> String {
    let promise = lock(&[(name, with(changes.clone()))]).tools.remove(name).unwrap();
    let mut listed = with(changes);
    for hidden in ["alias", "guarded", "locators", "path", "requires", "returns", "ui"] {
        listed.as_object_mut().unwrap().remove(hidden);
    }
    if let Some(support) = listed.get("task").cloned() {
        listed["task"] = json!({"support": support, "retries": 0});
    }
    listed["name"] = name.into();
    listed["digest"] = promise.digest(name).to_string().into();
    listed["examples"] = json!([]);
    json!([listed]).to_string()
}

/// Returns the kinds of the differences from a service with one tool to a newer version of the tool.
fn kinds(service: Value, newer: Value) -> Vec<Kind> {
    let lock = lock(&[("find", with(newer))]);
    lock.compare_service(&list("find", service)).unwrap().iter().map(|difference| difference.kind).collect()
}

/// What a list does not have.
fn hidden() -> Value {
    json!({
        "alias": "search", "guarded": true, "locators": ["limit"], "path": "days/{limit}", "requires": 2,
        "outputSchema": {"type": "object"}, "ui": {"page": "blake3:1"},
    })
}

fn and(mut changes: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("not an object") };
    changes.as_object_mut().unwrap().extend(more);
    changes
}

#[test]
fn finds_no_difference_between_equal_tools() {
    assert_eq!(kinds(json!({}), json!({})), []);
    assert_eq!(kinds(hidden(), hidden()), []);
    assert_eq!(kinds(json!({"returns": "text"}), json!({"returns": "text"})), []);
    let task = json!({"operation": "trigger", "task": "optional"});
    assert_eq!(kinds(task.clone(), task), []);
}

#[test]
fn names_the_differences_that_a_list_shows() {
    let described = json!({"description": "Finds the days."});
    assert_eq!(kinds(json!({}), described.clone()), [Kind::TextChanged]);
    assert_eq!(kinds(hidden(), and(hidden(), described)), [Kind::TextChanged]);
    let narrowed = json!({"inputSchema": {
        "type": "object",
        "properties": {"limit": {"type": "integer", "default": 20, "maximum": 100}},
        "additionalProperties": false
    }});
    assert_eq!(kinds(hidden(), and(hidden(), narrowed)), [Kind::InputNarrowed]);
}

/// An output schema is not listed where a result may be replaced by an excerpt.
#[test]
fn completes_a_list_without_output_schema() {
    let mut listed: Value = serde_json::from_str(&list("find", hidden())).unwrap();
    listed[0].as_object_mut().unwrap().remove("outputSchema");
    let newer = lock(&[("find", with(hidden()))]);
    assert_eq!(newer.compare_service(&listed.to_string()).unwrap(), []);
}

#[test]
fn names_one_member_that_was_added_and_is_not_listed() {
    assert_eq!(kinds(json!({}), json!({"alias": "search"})), [Kind::AliasAdded]);
    assert_eq!(kinds(json!({}), json!({"guarded": true})), [Kind::GuardAdded]);
    let guarded = json!({"guarded": true, "path": "days"});
    assert_eq!(kinds(guarded.clone(), and(guarded, json!({"alias": "search"}))), [Kind::AliasAdded]);
    assert_eq!(kinds(json!({}), json!({"outputSchema": {"type": "object"}})), [Kind::OutputSchemaAdded]);
}

/// A difference that cannot be seen is never taken for none.
#[test]
fn reports_what_a_list_does_not_show() {
    assert_eq!(kinds(json!({"alias": "search"}), json!({})), [Kind::Undecided]);
    assert_eq!(kinds(json!({"path": "a"}), json!({"path": "b"})), [Kind::Undecided]);
    let both = kinds(json!({"requires": 1}), json!({"title": "Days"}));
    assert_eq!(both, [Kind::TextChanged, Kind::Undecided]);
    assert_eq!(Kind::Undecided.change(), Change::Breaking);
}

#[test]
fn compares_tools_that_only_one_side_has() {
    let newer = lock(&[("find", with(json!({}))), ("seek", with(json!({"title": "Seek"})))]);
    let found = newer.compare_service(&list("find", json!({}))).unwrap();
    assert_eq!(found.iter().map(|it| (it.kind, &*it.tool)).collect::<Vec<_>>(), [(Kind::ToolAdded, "seek")]);
    let found = newer.compare_service(&list("lose", json!({"description": "Loses.", "path": "a"}))).unwrap();
    assert!(found.iter().any(|it| (it.kind, &*it.tool) == (Kind::ToolRemoved, "lose")), "{found:?}");
    assert!(found.iter().all(|it| it.kind != Kind::Undecided), "{found:?}");
}

#[test]
fn rejects_what_is_no_list() {
    for text in [
        "",
        "{}",
        "[1]",
        r#"[{"name": "find"}]"#,
        r#"[{"name": "find", "description": "Finds.", "digest": "a"}]"#,
    ] {
        let error = lock(&[]).compare_service(text).unwrap_err();
        assert!(matches!(error, LockError::NoList { .. }), "{text}: {error}");
    }
    assert_eq!("[]".parse::<Lock>().is_err(), lock(&[]).compare_service("[]").is_ok());
}
