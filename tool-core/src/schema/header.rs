//! The rules for `x-mcp-header`, the header that an MCP client sends an input in as well (MCP 2026-07-28).
//!
//! A client leaves out a tool that breaks one of them: a header's name is a token (RFC 9110, section 5.6.2) and occurs
//! once without regard to case; its input is a string, an integer or a boolean, and is reached through `properties` alone.

use serde_json::Value;

use crate::schema::push_escaped;

/// The keyword.
pub(super) const HEADER: &str = "x-mcp-header";

/// What is wrong with the headers in a schema.
pub(super) fn faults(root: &Value) -> Vec<String> {
    let mut headers = Headers { found: Vec::new(), faults: Vec::new() };
    headers.walk(root, "", true);
    headers.faults
}

struct Headers<'s> {
    found: Vec<(&'s str, String)>,
    faults: Vec<String>,
}

impl<'s> Headers<'s> {
    fn walk(&mut self, schema: &'s Value, path: &str, reached: bool) {
        let Some(object) = schema.as_object() else { return };
        if let Some(header) = object.get(HEADER) {
            self.header(header, schema, path, reached);
        }
        for (keyword, below) in object {
            match (keyword.as_str(), below) {
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        let mut path = format!("{path}/");
                        push_escaped(&mut path, name);
                        self.walk(schema, &path, reached);
                    }
                }
                ("patternProperties" | "$defs", Value::Object(schemas)) => {
                    schemas.values().for_each(|schema| self.walk(schema, path, false));
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                    schemas.iter().for_each(|schema| self.walk(schema, path, false));
                }
                ("items" | "additionalProperties" | "unevaluatedProperties" | "not" | "contains", schema) => {
                    self.walk(schema, path, false);
                }
                _ => {}
            }
        }
    }

    fn header(&mut self, header: &'s Value, schema: &Value, path: &str, reached: bool) {
        let Some(name) = header.as_str().filter(|name| is_token(name)) else {
            return self.faults.push(format!(
                "the header of `{path}` is {header}, and the name of a header is letters, digits and !#$%&'*+-.^_`|~"
            ));
        };
        if !reached || path.is_empty() {
            return self
                .faults
                .push(format!("`{path}` has the header `{name}`, and is no input or field of one"));
        }
        if !matches!(schema["type"].as_str(), Some("string" | "integer" | "boolean")) {
            self.faults.push(format!(
                "input `{path}` has the header `{name}`, and is no string, integer or boolean"
            ));
        }
        match self.found.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((known, first)) => {
                self.faults.push(format!("the inputs `{first}` and `{path}` have one header, `{known}`"));
            }
            None => self.found.push((name, path.to_owned())),
        }
    }
}

fn is_token(name: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_tchar)
}

#[cfg(test)]
mod tests {
    use super::faults;
    use serde_json::{Value, json};

    fn of(properties: Value) -> Vec<String> {
        faults(&json!({"type": "object", "properties": properties}))
    }

    #[test]
    fn what_a_client_would_drop_the_tool_for_is_told() {
        let good = json!({
            "a": {"type": "string", "x-mcp-header": "Region"},
            "b": {"type": "object", "properties": {"c": {"type": "boolean", "x-mcp-header": "Loud"}}},
            "x-mcp-header": {"type": "string"},
        });
        assert_eq!(of(good), Vec::<String>::new());
        for (properties, fault) in [
            (json!({"a": {"type": "string", "x-mcp-header": ""}}), "the name of a header is"),
            (json!({"a": {"type": "string", "x-mcp-header": "A\r\nB: c"}}), "the name of a header is"),
            (json!({"a": {"type": "string", "x-mcp-header": 1}}), "the name of a header is"),
            (json!({"a": {"type": "number", "x-mcp-header": "A"}}), "no string, integer or boolean"),
            (
                json!({"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "x-mcp-header": "A"}}),
                "no string, integer or boolean",
            ),
            (
                json!({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}),
                "no input or field",
            ),
            (
                json!({"a": {"type": "string", "x-mcp-header": "A"}, "b/c": {"type": "string", "x-mcp-header": "a"}}),
                "the inputs `/a` and `/b~1c` have one header, `A`",
            ),
        ] {
            let found = of(properties);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(fault), "{found:?}");
        }
    }
}
