//! JSON without duplicate members.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses a JSON object in which no object has two members of one name: a reader that takes the first, and one that takes the
/// last, would see two different tokens (RFC 7515, section 4).
pub(crate) fn object(text: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(text) {
        Ok(Unique(Value::Object(object))) => Some(object),
        _ => None,
    }
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Unique)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let Unique(value) = members.next_value()?;
            if object.insert(name, value).is_some() {
                return Err(de::Error::custom("a member stands twice"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::object;

    #[test]
    fn reads_objects_without_duplicate_members() {
        let text = r#"{"a": [1, -2, 2.5, "x", null, true], "b": {"a": {}}}"#;
        let expected = json!({"a": [1, -2, 2.5, "x", null, true], "b": {"a": {}}});
        assert_eq!(object(text.as_bytes()), expected.as_object().cloned());
    }

    #[test]
    fn refuses_everything_else() {
        let deep = "[".repeat(200);
        for text in [
            r#"{"sub": "ada", "sub": "eve"}"#,
            r#"{"sub": "ada", "\u0073ub": "eve"}"#,
            r#"{"a": [{"b": 1, "b": 1}]}"#,
            "[]",
            "1",
            "",
            "{} {}",
            "{\"a\": 1e999}",
            &format!("{{\"a\": {deep}"),
        ] {
            assert_eq!(object(text.as_bytes()), None, "{text}");
        }
        assert_eq!(object(b"{\"a\": \"\xff\"}"), None);
    }
}
