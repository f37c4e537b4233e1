//! Resolves `$ref`s.

use std::fmt::Write as _;

use serde_json::Value;

/// The maximum length of a chain of references.
const MAX_REFERENCE_CHAIN: usize = 16;

/// Returns the target of a reference such as `#/$defs/Name`.
pub(crate) fn target<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    root.pointer(&pointed(reference)?)
}

/// Returns the JSON Pointer in the fragment of a URI: `/$defs/Name` of `#/$defs/Name`.
pub(crate) fn pointed(reference: &str) -> Option<String> {
    reference.strip_prefix('#').map(percent_decoded)
}

/// Encodes a JSON Pointer for the fragment of a URI.
pub(crate) fn fragment(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~' | b'$') {
            fragment.push(char::from(byte));
        } else {
            // Writing to a string never fails.
            _ = write!(fragment, "%{byte:02X}");
        }
    }
    fragment
}

/// Returns the schema that this one refers to, if any, which may be another reference.
pub(crate) fn referred<'s>(schema: &Value, root: &'s Value) -> Option<&'s Value> {
    target(schema.get("$ref")?.as_str()?, root)
}

/// Follows references to the end; `None` if a target is missing or the references are circular.
pub(crate) fn followed<'s>(mut schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_REFERENCE_CHAIN {
        if schema.get("$ref").is_none() {
            return Some(schema);
        }
        schema = referred(schema, root)?;
    }
    None
}

/// Follows references to the end, or returns the schema itself.
pub(crate) fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    followed(schema, root).unwrap_or(schema)
}

/// Percent-decodes a fragment (RFC 3986, section 2.1).
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
