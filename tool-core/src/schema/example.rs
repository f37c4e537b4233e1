//! A minimal valid call, for the caller whose input was wrong.

use serde_json::{Map, Value, json};

/// A value that the schema admits: a declared example, a default, else the smallest thing that fits.
///
/// An object has its required members only. Where a pattern is all that is known, the value is a guess; an author who
/// declares an example spares the reader that.
pub(super) fn of(root: &Value) -> Value {
    Guess { root, depth: 0, left: MOST_VALUES }.value(root)
}

/// An example of more values than this helps nobody.
const MOST_VALUES: usize = 1_000;
/// A call of which the secret inputs have a value that says so.
pub(super) fn without_secrets(mut call: Value, root: &Value) -> Value {
    for (name, value) in call.as_object_mut().into_iter().flatten() {
        let schema = &root["properties"][name];
        if schema["writeOnly"] == true {
            *value = Guess { root, depth: 0, left: MOST_VALUES }.value(schema);
        }
    }
    call
}

struct Guess<'s> {
    root: &'s Value,
    depth: u8,
    left: usize,
}

impl Guess<'_> {
    fn value(&mut self, schema: &Value) -> Value {
        if let Some(example) = schema["examples"].get(0).or_else(|| schema.get("default")) {
            return example.clone();
        }
        if let Some(constant) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return constant.clone();
        }
        // A recursive type ends somewhere, in an optional member or in an empty list; if not, so does this.
        if self.depth == 16 || self.left == 0 {
            return Value::Null;
        }
        self.left -= 1;
        self.depth += 1;
        let value = self.made(schema);
        self.depth -= 1;
        value
    }

    fn made(&mut self, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            return self.root.pointer(reference).map_or(Value::Null, |target| self.value(target));
        }
        if let Some(branch) = schema["oneOf"].get(0).or_else(|| schema["anyOf"].get(0)) {
            return self.value(branch);
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema),
            Some("array") => self.array(schema),
            Some("string") => text(schema).into(),
            Some("integer") => number(schema, json!(1)),
            Some("number") => number(schema, json!(1.0)),
            Some("boolean") => true.into(),
            _ => Value::Null,
        }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let member = |name: &Value| {
            let name = name.as_str().unwrap_or_default();
            (name.to_owned(), self.value(&schema["properties"][name]))
        };
        let mut members: Map<_, _> = required.iter().map(member).collect();
        // An object in parts: each choice adds its own.
        for part in schema["allOf"].as_array().into_iter().flatten() {
            if let Value::Object(more) = self.value(part) {
                members.extend(more);
            }
        }
        members.into()
    }

    fn array(&mut self, schema: &Value) -> Value {
        if let Some(items) = schema["prefixItems"].as_array() {
            return items.iter().map(|item| self.value(item)).collect::<Vec<_>>().into();
        }
        let length = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).unwrap_or(0).min(16);
        let length = if length == 0 && schema["items"]["$ref"].is_null() { 1 } else { length };
        (0..length).map(|_| self.value(&schema["items"])).collect::<Vec<_>>().into()
    }
}

fn number(schema: &Value, usual: Value) -> Value {
    let below = |bound: &Value, value: &Value| bound.as_f64() < value.as_f64();
    let usual = schema.get("minimum").filter(|minimum| below(&usual, minimum)).cloned().unwrap_or(usual);
    schema.get("maximum").filter(|maximum| below(maximum, &usual)).cloned().unwrap_or(usual)
}

fn text(schema: &Value) -> String {
    let usual = match schema["format"].as_str() {
        Some("date-time") => "2024-01-31T12:00:00Z",
        Some("date") => "2024-01-31",
        Some("time") => "12:00:00",
        Some("duration") => "PT1H",
        Some("email" | "idn-email") => "name@example.com",
        Some("hostname" | "idn-hostname") => "example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uri" | "iri" | "uri-reference" | "iri-reference") => "https://example.com/",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        Some("json-pointer") => "/a",
        _ if schema["writeOnly"] == true => "(secret)",
        _ => "text",
    };
    let length = |key: &str| schema[key].as_u64().and_then(|length| usize::try_from(length).ok());
    let mut text: String = usual.chars().take(length("maxLength").unwrap_or(usize::MAX)).collect();
    while text.chars().count() < length("minLength").unwrap_or(0).min(256) {
        text.push('a');
    }
    text
}
