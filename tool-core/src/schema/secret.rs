//! What must not be shown: the values that a schema marks with `writeOnly`.

use serde_json::Value;

use crate::schema::place::{below, parts};
use crate::schema::types::refers;
use crate::schema::unescaped;

/// What may be shown of the value at a place.
pub(crate) struct Secrecy {
    /// As much of the place, a JSON Pointer, as may be shown: not the names that are part of a secret.
    pub(crate) shown: String,
    /// Whether the value is a secret or a part of one.
    pub(crate) within: bool,
    /// Whether it is a secret, a part of one, or may contain one.
    pub(crate) concealed: bool,
}

/// Whether a schema has a secret anywhere.
pub(super) fn any(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("writeOnly") == Some(&Value::Bool(true)) || members.values().any(any)
        }
        Value::Array(items) => items.iter().any(any),
        _ => false,
    }
}

/// What may be shown of the value at this place in the arguments for a schema.
pub(super) fn of(root: &Value, path: &str) -> Secrecy {
    let mut shown = String::new();
    let mut within = false;
    let mut schemas = parts(root, root);
    for token in path.split('/').skip(1) {
        within |= schemas.iter().any(|schema| is_secret(schema));
        let below = below(&schemas, &unescaped(token), root);
        if within && !below.named {
            return Secrecy { shown, within, concealed: true };
        }
        shown.push('/');
        shown.push_str(token);
        schemas = below.schemas;
    }
    within |= schemas.iter().any(|schema| is_secret(schema));
    let may_contain = |schema: &&Value| any(schema) || refers(schema) && any(&root["$defs"]);
    let concealed = within || schemas.iter().any(may_contain);
    Secrecy { shown, within, concealed }
}

fn is_secret(schema: &Value) -> bool {
    schema["writeOnly"] == true
}

#[cfg(test)]
mod tests {
    use super::of;
    use serde_json::json;

    #[test]
    fn names_within_a_secret_are_part_of_it_unless_the_schema_has_them() {
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
        for (path, shown, within, concealed) in [
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
                (found.shown.as_str(), found.within, found.concealed),
                (shown, within, concealed),
                "{path}"
            );
        }
    }
}
