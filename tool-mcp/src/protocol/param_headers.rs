//! The headers `Mcp-Param-*`, which repeat arguments of a call, and the values of headers that repeat parts of a message.

use std::borrow::Cow;

use axum::http::HeaderMap;
use axum::http::header::AsHeaderName;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::ErrorData;
use serde_json::{Map, Value};

use crate::protocol::RpcResult;

/// The headers of a request, of which some are `Mcp-Param-*`.
pub(crate) struct ParamHeaders(pub(crate) HeaderMap);

impl ParamHeaders {
    /// Checks that they repeat the arguments that the schema of the tool marks, and are those arguments.
    pub(crate) fn check(&self, schema: &Value, arguments: &[u8]) -> RpcResult<()> {
        let Some(schema) = schema.as_object() else { return Ok(()) };
        // Invalid JSON is rejected elsewhere.
        let arguments: Value = serde_json::from_slice(arguments).unwrap_or_default();
        self.check_object(schema, &arguments, &mut Vec::new())
    }

    /// Checks the arguments of an object.
    fn check_object<'s>(
        &self,
        schema: &'s Map<String, Value>,
        arguments: &Value,
        path: &mut Vec<&'s str>,
    ) -> RpcResult<()> {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let Some(schema) = schema.as_object() else { continue };
            path.push(name);
            let header = schema.get("x-mcp-header").and_then(Value::as_str);
            if let Some(header) = header.filter(|header| !header.is_empty()) {
                let argument = path.iter().try_fold(arguments, |value, name| value.get(name));
                self.check_argument(&format!("Mcp-Param-{header}"), argument, &path.join("."))?;
            }
            self.check_object(schema, arguments, path)?;
            path.pop();
        }
        Ok(())
    }

    fn check_argument(&self, header: &str, argument: Option<&Value>, path: &str) -> RpcResult<()> {
        let argument = match argument {
            Some(Value::String(text)) => Some(text.clone()),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
            _ => None,
        };
        match (single(&self.0, header, header)?, argument) {
            (None, None) => Ok(()),
            (Some(_), None) => mismatch(format!("unexpected {header} header for absent or null `{path}`")),
            (None, Some(_)) => mismatch(format!("missing {header} header for `{path}`")),
            (Some(value), Some(argument)) => {
                check_equal(header, &decoded(value, header)?, "value", &argument)
            }
        }
    }
}

/// Returns the value of a header that may not be repeated, and is `name` in errors.
pub(crate) fn single<'h>(
    headers: &'h HeaderMap,
    key: impl AsHeaderName,
    name: &str,
) -> RpcResult<Option<&'h str>> {
    let mut values = headers.get_all(key).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return mismatch(format!("duplicate {name} header"));
    }
    let text = value.to_str().ok().map(Some).map(Ok);
    text.unwrap_or_else(|| mismatch(format!("{name} header contains invalid characters")))
}

/// Decodes a value: what a header cannot contain is in Base64.
pub(crate) fn decoded<'v>(value: &'v str, name: &str) -> RpcResult<Cow<'v, str>> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) else {
        return Ok(value.into());
    };
    let bytes = BASE64.decode(encoded).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(Cow::Owned).map(Ok);
    text.unwrap_or_else(|| mismatch(format!("{name} header is not valid Base64")))
}

pub(crate) fn check_equal(header: &str, value: &str, part: &str, expected: &str) -> RpcResult<()> {
    if value == expected {
        return Ok(());
    }
    mismatch(format!("{header} header `{value}` does not match body {part} `{expected}`"))
}

pub(crate) fn mismatch<T>(message: impl Into<Cow<'static, str>>) -> RpcResult<T> {
    Err(ErrorData::header_mismatch(message, None))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn compares_headers_with_the_arguments_that_they_repeat() {
        let marked = |kind: &str, header: &str| json!({"type": kind, "x-mcp-header": header});
        let schema = json!({"properties": {
            "region": marked("string", "Region"),
            "zone": marked("integer", "Zone"),
            "dry": marked("boolean", "Dry"),
            "at": {"properties": {"rack": marked("string", "Rack")}},
            "note": marked("string", ""),
            "other": {"type": "string"},
        }});
        for (arguments, headers, is_equal) in [
            (json!({}), &[][..], true),
            (json!({"other": "x", "note": "y"}), &[], true),
            (json!({"region": "eu"}), &[("mcp-param-region", "eu")], true),
            (json!({"region": "eu"}), &[("mcp-param-region", "=?base64?ZXU=?=")], true),
            (json!({"region": "eu"}), &[("mcp-param-region", "us")], false),
            (json!({"region": "eu"}), &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")], false),
            (json!({"region": "eu"}), &[], false),
            (json!({}), &[("mcp-param-region", "eu")], false),
            (json!({"region": null}), &[("mcp-param-region", "null")], false),
            (json!({"zone": 3}), &[("mcp-param-zone", "3")], true),
            (json!({"zone": 3}), &[("mcp-param-zone", "4")], false),
            (json!({"zone": 3}), &[], false),
            (json!({"dry": false}), &[("mcp-param-dry", "false")], true),
            (json!({"dry": false}), &[("mcp-param-dry", "true")], false),
            (json!({"dry": false}), &[], false),
            (json!({"at": {"rack": "r7"}}), &[("mcp-param-rack", "r7")], true),
            (json!({"at": {"rack": "r7"}}), &[("mcp-param-rack", "r8")], false),
            (json!({"at": {"rack": "r7"}}), &[], false),
            (json!({"rack": "r7"}), &[], true),
        ] {
            let mut given = HeaderMap::new();
            for (name, value) in headers {
                given.append(*name, value.parse().unwrap());
            }
            let found = ParamHeaders(given).check(&schema, arguments.to_string().as_bytes());
            assert_eq!(found.is_ok(), is_equal, "{arguments} {headers:?}: {found:?}");
        }
    }
}
