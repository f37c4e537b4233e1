//! Secrets: values that a schema marks with `writeOnly`.

use serde_json::Value;

use crate::schema::json::children::children;
use crate::schema::json::pointer::{push_token, unescaped};
use crate::schema::locate::{below, parts};
use crate::schema::types::refers;

/// What is shown instead of a secret.
const MASK: &str = "(secret)";

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

/// Returns a value with `(secret)` instead of each secret.
pub(crate) fn masked(root: &Value, value: &Value) -> Value {
    mask(root, "", value)
}

fn mask(root: &Value, path: &str, value: &Value) -> Value {
    let secrecy = of(root, path);
    let below = |token: &str| {
        let mut path = path.to_owned();
        push_token(&mut path, token);
        path
    };
    match value {
        _ if secrecy.names => Value::from(MASK),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), mask(root, &below(name), value))).collect()
        }
        Value::Array(items) => {
            let item = |(index, value): (usize, &Value)| mask(root, &below(&index.to_string()), value);
            items.iter().enumerate().map(item).collect()
        }
        _ if secrecy.concealed => Value::from(MASK),
        value => value.clone(),
    }
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
    fn masks_secrets_and_nothing_else() {
        let schema = json!({"type": "object", "properties": {
            "user": {"type": "string"},
            "password": {"type": "string", "writeOnly": true},
            "keys": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"},
                "key": {"type": "object", "writeOnly": true},
            }}},
        }});
        let value =
            json!({"user": "ada", "password": "swordfish", "keys": [{"name": "a/b", "key": {"k": [1]}}]});
        let shown =
            json!({"user": "ada", "password": "(secret)", "keys": [{"name": "a/b", "key": "(secret)"}]});
        assert_eq!(masked(&schema, &value), shown);
        let names = json!({"type": "object", "propertyNames": {"writeOnly": true}});
        assert_eq!(masked(&names, &json!({"swordfish": 1})), json!("(secret)"));
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
