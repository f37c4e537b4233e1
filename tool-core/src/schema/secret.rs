//! Secrets: values that a schema marks with `writeOnly`.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::schema::json::children::children;
use crate::schema::json::object_members::ObjectMembers;
use crate::schema::json::pointer::{pointer, unescaped};
use crate::schema::locate::{below, parts};
use crate::schema::types::refers;

/// What is shown instead of a secret.
const MASK: &str = "\"(secret)\"";

/// What may be shown of a value.
pub(crate) struct Secrecy {
    /// The JSON Pointer without names that are part of a secret.
    pub(crate) shown: String,
    /// Whether the value is a secret, part of one, or may contain one.
    pub(crate) concealed: bool,
    /// Whether the names of undeclared members are secret.
    pub(crate) names: bool,
}

/// Returns `true` if a schema has a secret anywhere.
pub(crate) fn any(schema: &Value) -> bool {
    is_secret(schema) || children(schema).any(any)
}

/// Returns the text of arguments without secrets. If the schema has some, `"(secret)"` stands for each member that is or has one,
/// and for each that the schema does not declare; everything that is not an object with public names becomes `null`.
pub(crate) fn masked<'a>(root: &Value, arguments: &'a [u8]) -> Cow<'a, [u8]> {
    if !any(root) {
        return arguments.into();
    }
    let schemas = parts([root], root);
    let members = serde_json::from_slice::<ObjectMembers<&RawValue>>(arguments);
    let (Ok(members), false) = (members, names_are_secret(&schemas)) else { return b"null".into() };
    let member = |(name, value): &(String, &RawValue)| {
        let is_shown = below(&schemas, name, root).named && !of(root, &pointer(name)).concealed;
        format!("{}:{}", Value::from(name.as_str()), if is_shown { value.get() } else { MASK })
    };
    format!("{{{}}}", members.0.iter().map(member).collect::<Vec<_>>().join(",")).into_bytes().into()
}

/// Returns what may be shown of the value at this path.
pub(super) fn of(root: &Value, path: &str) -> Secrecy {
    let mut shown = String::new();
    let mut within = false;
    let mut schemas = parts([root], root);
    for token in path.split('/').skip(1) {
        within |= schemas.iter().any(|schema| is_secret(schema));
        let below = below(&schemas, &unescaped(token), root);
        if !below.named && (within || names_are_secret(&schemas)) {
            return Secrecy { shown, concealed: true, names: true };
        }
        shown.push('/');
        shown.push_str(token);
        schemas = below.schemas;
    }
    within |= schemas.iter().any(|schema| is_secret(schema));
    // The target may be anywhere in the document.
    let may_contain = |schema: &&Value| any(schema) || refers(schema) && any(root);
    let concealed = within || schemas.iter().any(may_contain);
    Secrecy { shown, concealed, names: within || names_are_secret(&schemas) }
}

/// Returns `true` if these schemas mark the names of members as secret.
pub(super) fn names_are_secret(schemas: &[&Value]) -> bool {
    schemas.iter().any(|schema| schema.get("propertyNames").is_some_and(any))
}

pub(super) fn is_secret(schema: &Value) -> bool {
    schema["writeOnly"] == true
}

#[cfg(test)]
mod tests {
    use super::{masked, of};
    use serde_json::json;

    #[test]
    fn masks_secret_and_undeclared_members() {
        let secret = || json!({"type": "string", "writeOnly": true});
        let root = json!({"properties": {
            "user": {"type": "string"},
            "a/b": secret(),
            "login": {"properties": {"key": secret()}},
            "keys": {"items": secret()},
        }});
        for (arguments, expected) in [
            (r#"{"user": "ada", "a/b": "x"}"#, r#"{"user":"ada","a/b":"(secret)"}"#),
            (
                r#"{"a/b": "x", "a\u002fb": "y", "a/d": "z"}"#,
                r#"{"a/b":"(secret)","a/b":"(secret)","a/d":"(secret)"}"#,
            ),
            (
                r#"{"login": {"key": "x"}, "keys": ["x"], "user": [1.0]}"#,
                r#"{"login":"(secret)","keys":"(secret)","user":[1.0]}"#,
            ),
            (r#"["x"]"#, "null"),
            (r#"{"user": "x""#, "null"),
            ("", "null"),
        ] {
            assert_eq!(&*masked(&root, arguments.as_bytes()), expected.as_bytes(), "{arguments}");
        }
        let root = json!({"propertyNames": {"writeOnly": true}});
        assert_eq!(&*masked(&root, br#"{"x": 1}"#), b"null");
        assert_eq!(&*masked(&json!({}), b"[1,"), b"[1,", "there is no secret");
    }

    #[test]
    fn finds_secrets_in_every_subschema() {
        let key = || json!({"properties": {"key": {"writeOnly": true}}});
        let secret = || json!({"writeOnly": true});
        for (root, path) in [
            (json!({"if": key(), "then": true}), "/key"),
            (json!({"if": true, "then": key()}), "/key"),
            (json!({"if": true, "then": true, "else": key()}), "/key"),
            (json!({"not": key()}), "/key"),
            (json!({"allOf": [{"anyOf": [{"oneOf": [key()]}]}]}), "/key"),
            (json!({"dependentSchemas": {"other": key()}}), "/key"),
            (json!({"properties": {"key": {}}, "patternProperties": {"^k": secret()}}), "/key"),
            (json!({"patternProperties": {"^k": secret()}}), "/key"),
            (json!({"additionalProperties": secret()}), "/key"),
            (json!({"unevaluatedProperties": secret()}), "/key"),
            (json!({"properties": {"a": {"prefixItems": [{}, secret()]}}}), "/a/1"),
            (json!({"properties": {"a": {"items": secret()}}}), "/a/1"),
            (json!({"properties": {"a": {"contains": secret()}}}), "/a/1"),
            (json!({"properties": {"a": {"unevaluatedItems": secret()}}}), "/a/1"),
            (json!({"properties": {"a": {"prefixItems": [{}], "items": {}, "contains": secret()}}}), "/a/0"),
            (json!({"$ref": "#/x/a%20b", "x": {"a b": key()}}), "/key"),
            (json!({"propertyNames": secret()}), "/key"),
        ] {
            let found = of(&root, path);
            assert!(found.names && found.concealed, "{root}");
            let around = of(&root, path.rsplit_once('/').unwrap().0);
            assert!(around.concealed, "{root}");
            let beside = of(&json!({"properties": {"key": {}}}), path);
            assert!(!beside.names && !beside.concealed, "{root}");
        }
    }

    #[test]
    fn secret_names_are_not_part_of_a_path() {
        let root = json!({"properties": {"keys": {
            "propertyNames": {"writeOnly": true},
            "properties": {"known": {}},
            "additionalProperties": {"properties": {"n": {"type": "integer"}}},
        }}});
        for (path, shown, names) in [
            ("/keys", "/keys", true),
            ("/keys/hunter2", "/keys", true),
            ("/keys/hunter2/n", "/keys", true),
            ("/keys/known", "/keys/known", false),
        ] {
            let found = of(&root, path);
            assert_eq!((found.shown.as_str(), found.names), (shown, names), "{path}");
        }
    }

    #[test]
    fn names_within_a_secret_are_secret_unless_declared() {
        let text = json!({"type": "string"});
        let root = json!({
            "properties": {
                "open": {"properties": {"key": {"type": "string", "writeOnly": true}, "n": text}},
                "secret": {
                    "writeOnly": true,
                    "properties": {"user": {"additionalProperties": text}},
                    "additionalProperties": {"items": text},
                },
                "maybe": {"anyOf": [{"$ref": "#/$defs/Keys"}, {"type": "null"}]},
            },
            "$defs": {"Keys": {"items": {"properties": {"key": {"writeOnly": true}, "more": {"$ref": "#/$defs/Keys"}}}}},
        });
        for (path, shown, names, concealed) in [
            ("", "", false, true),
            ("/open", "/open", false, true),
            ("/open/n", "/open/n", false, false),
            ("/open/key", "/open/key", true, true),
            ("/secret", "/secret", true, true),
            ("/secret/user", "/secret/user", true, true),
            ("/secret/user/name", "/secret/user", true, true),
            ("/secret/other/5", "/secret", true, true),
            ("/maybe/0/more/1/key", "/maybe/0/more/1/key", true, true),
            ("/maybe/0/more", "/maybe/0/more", false, true),
            ("/unknown/a", "/unknown/a", false, false),
        ] {
            let found = of(&root, path);
            assert_eq!(
                (found.shown.as_str(), found.names, found.concealed),
                (shown, names, concealed),
                "{path}"
            );
        }
    }
}
