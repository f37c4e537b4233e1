//! Where a `$ref` leads.

use std::fmt::Write as _;

use serde_json::Value;

/// A chain of more references leads nowhere, or in a circle.
const MAX_REFERENCE_CHAIN: usize = 16;

/// What a JSON Pointer in the fragment of a URI leads to: `#/$defs/Name`.
pub(crate) fn target<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    root.pointer(&pointed(reference)?)
}

/// The JSON Pointer in the fragment of a URI: `/$defs/Name` of `#/$defs/Name`.
pub(crate) fn pointed(reference: &str) -> Option<String> {
    reference.strip_prefix('#').map(percent_decoded)
}

/// A JSON Pointer as it stands in the fragment of a URI.
pub(crate) fn fragment(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~' | b'$') {
            fragment.push(char::from(byte));
        } else {
            // Nothing can go wrong on the way into a string.
            _ = write!(fragment, "%{byte:02X}");
        }
    }
    fragment
}

/// The schema that this one refers to, which may refer to another; `None` where it refers to none that exists.
pub(crate) fn referred<'s>(schema: &Value, root: &'s Value) -> Option<&'s Value> {
    target(schema.get("$ref")?.as_str()?, root)
}

/// What references lead to in the end, the schema itself if it is none; `None` where they lead nowhere, or in a circle.
pub(crate) fn followed<'s>(mut schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_REFERENCE_CHAIN {
        if schema.get("$ref").is_none() {
            return Some(schema);
        }
        schema = referred(schema, root)?;
    }
    None
}

/// The same, or the schema itself where it leads nowhere.
pub(crate) fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    followed(schema, root).unwrap_or(schema)
}

/// The fragment of a URI as the text that it stands for (RFC 3986, section 2.1).
fn percent_decoded(fragment: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(16 * high + low).unwrap_or_default());
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{followed, fragment, pointed, referred, resolved};
    use serde_json::json;

    #[test]
    fn round_trips_pointers_through_fragments() {
        let pointer = "/$defs/a b~1c%é";
        assert_eq!(fragment(pointer), "/$defs/a%20b~1c%25%C3%A9");
        assert_eq!(pointed(&format!("#{}", fragment(pointer))).as_deref(), Some(pointer));
    }

    #[test]
    fn follows_references_but_not_cycles() {
        let root = json!({"$defs": {
            "a b/c": {"type": "string"},
            "Once": {"$ref": "#/$defs/a%20b~1c"},
            "Twice": {"$ref": "#/$defs/Once"},
            "Circle": {"$ref": "#/$defs/Circle"},
            "Nowhere": {"$ref": "#/$defs/None"},
        }});
        let text = &root["$defs"]["a b/c"];
        let to = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
        for reference in ["a%20b~1c", "a b~1c", "a%20b%7E1c", "Once", "Twice"] {
            assert_eq!(followed(&to(reference), &root), Some(text), "{reference}");
        }
        assert_eq!(referred(&to("Twice"), &root), Some(&root["$defs"]["Twice"]));
        for lost in [to("Circle"), to("Nowhere"), to("None"), json!({"$ref": "https://example.com"})] {
            assert_eq!((followed(&lost, &root), resolved(&lost, &root)), (None, &lost));
        }
        assert_eq!((followed(text, &root), referred(text, &root)), (Some(text), None));
    }
}
