//! The headers of 2026-07-28, which repeat parts of the message.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderName};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value};

use crate::handlers::Handler;
use crate::http::rejection::Rejection;
use crate::protocol::{Params, RpcRequest};

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";

/// Returns the version in the head of a request.
///
/// # Errors
///
/// When it is unknown and the message does not name one either.
pub(super) fn version(headers: &HeaderMap, in_message: bool) -> Result<Option<&str>, Rejection> {
    let Some(version) = headers.get(PROTOCOL_VERSION) else { return Ok(None) };
    let version = version
        .to_str()
        .map_err(|_| Rejection::bad_request("Invalid MCP-Protocol-Version header encoding"))?;
    let is_supported = ProtocolVersion::KNOWN_VERSIONS.iter().any(|supported| supported.as_str() == version);
    if !in_message && !is_supported {
        return Err(Rejection::bad_request(format!("Unsupported MCP-Protocol-Version: {version}")));
    }
    Ok(Some(version))
}

/// Returns `true` for a version without sessions. Versions are dates, and compare as texts.
pub(super) fn is_modern(version: &str) -> bool {
    version >= ProtocolVersion::V_2026_07_28.as_str()
}

/// Returns `true` if the head of a request names a version without sessions.
pub(super) fn names_modern_version(headers: &HeaderMap) -> bool {
    headers.get(PROTOCOL_VERSION).and_then(|version| version.to_str().ok()).is_some_and(is_modern)
}

/// Checks that no header of the protocol is repeated: a proxy may have used the other value.
pub(super) fn check_unique(headers: &HeaderMap) -> Result<(), Rejection> {
    if headers.len() == headers.keys_len() {
        return Ok(());
    }
    let mut of_protocol = headers.keys().filter(|name| name.as_str().starts_with("mcp-"));
    match of_protocol.find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        Some(name) => mismatch(format!("the header `{name}` is repeated")),
        None => Ok(()),
    }
}

/// Checks the method and version of `initialize`, if the head repeats them.
pub(super) fn check_opening(headers: &HeaderMap, request: &RpcRequest) -> Result<(), Rejection> {
    let Some(version) = version(headers, true)? else { return Ok(()) };
    let in_message = match &request.params {
        Params::Other(params) => params.get("protocolVersion").and_then(Value::as_str),
        _ => None,
    };
    if let Some(in_message) = in_message.filter(|in_message| *in_message != version) {
        return Err(Rejection::bad_request(format!(
            "Invalid Request: MCP-Protocol-Version header ({version}) does not match initialize \
             params.protocolVersion ({in_message})"
        )));
    }
    let method = single(headers, METHOD)?.filter(|_| is_modern(version));
    method.map_or(Ok(()), |method| check_equal(METHOD, method, "method", "initialize"))
}

/// Checks that the version in the head is that of the message.
pub(super) fn check_version(
    version: Option<&str>,
    in_message: Option<&ProtocolVersion>,
) -> Result<(), Rejection> {
    match (version, in_message.map(ProtocolVersion::as_str)) {
        (None, Some(_)) => mismatch("request _meta protocolVersion requires MCP-Protocol-Version header"),
        (Some(version), Some(in_message)) if version != in_message => mismatch(format!(
            "MCP-Protocol-Version header ({version}) does not match request _meta protocolVersion \
             ({in_message})"
        )),
        _ => Ok(()),
    }
}

/// Checks that the head repeats the method.
pub(super) fn check_method(headers: &HeaderMap, method: &str) -> Result<(), Rejection> {
    match single(headers, METHOD)? {
        None => mismatch("missing required Mcp-Method header"),
        Some(value) => check_equal(METHOD, value, "method", method),
    }
}

/// Checks that the head repeats the method of a request, the name or URI in it, and the arguments that the schema marks.
pub(super) fn check_request(
    headers: &HeaderMap,
    request: &RpcRequest,
    handler: &Handler,
) -> Result<(), Rejection> {
    check_method(headers, &request.method)?;
    let member = match request.method.as_str() {
        "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => "",
    };
    let name = match &request.params {
        Params::Call(call) => call.name.as_deref(),
        Params::Other(params) => params.get(member).and_then(Value::as_str),
        Params::List { .. } => None,
    };
    if let Some(name) = name {
        let Some(value) = single(headers, NAME)? else {
            return mismatch(format!("missing required Mcp-Name header for `{}`", request.method));
        };
        check_equal(NAME, &decoded(value, NAME)?, "value", name)?;
    }
    let Params::Call(call) = &request.params else { return Ok(()) };
    let latest = name.and_then(|_| handler.views.latest());
    let schema = latest.as_ref().and_then(|catalog| catalog.schema_with_headers(name?));
    let Some(schema) = schema.and_then(Value::as_object) else { return Ok(()) };
    // Invalid JSON is rejected elsewhere.
    let arguments: Value = serde_json::from_slice(&call.arguments).unwrap_or_default();
    check_arguments(headers, schema, &arguments, &mut Vec::new())
}

/// Checks the arguments of an object that headers have to repeat.
fn check_arguments<'s>(
    headers: &HeaderMap,
    schema: &'s Map<String, Value>,
    arguments: &Value,
    path: &mut Vec<&'s str>,
) -> Result<(), Rejection> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let Some(schema) = schema.as_object() else { continue };
        path.push(name);
        if let Some(header) = schema.get("x-mcp-header").and_then(Value::as_str).filter(|it| !it.is_empty()) {
            let argument = path.iter().try_fold(arguments, |value, name| value.get(name));
            check_argument(headers, &format!("Mcp-Param-{header}"), argument, &path.join("."))?;
        }
        check_arguments(headers, schema, arguments, path)?;
        path.pop();
    }
    Ok(())
}

fn check_argument(
    headers: &HeaderMap,
    header: &str,
    argument: Option<&Value>,
    path: &str,
) -> Result<(), Rejection> {
    let argument = match argument {
        Some(Value::String(text)) => Some(text.clone()),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
        _ => None,
    };
    match (single(headers, header)?, argument) {
        (None, None) => Ok(()),
        (Some(_), None) => mismatch(format!("unexpected {header} header for absent or null `{path}`")),
        (None, Some(_)) => mismatch(format!("missing {header} header for `{path}`")),
        (Some(value), Some(argument)) => check_equal(header, &decoded(value, header)?, "value", &argument),
    }
}

/// Returns the value of a header that may not be repeated.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Rejection> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return mismatch(format!("duplicate {name} header"));
    }
    let text = value.to_str().ok().map(Some).map(Ok);
    text.unwrap_or_else(|| mismatch(format!("{name} header contains invalid characters")))
}

/// Decodes a value: what a header cannot contain is in Base64.
fn decoded<'v>(value: &'v str, name: &str) -> Result<Cow<'v, str>, Rejection> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|value| value.strip_suffix("?=")) else {
        return Ok(value.into());
    };
    let bytes = BASE64.decode(encoded).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(Cow::Owned).map(Ok);
    text.unwrap_or_else(|| mismatch(format!("{name} header is not valid Base64")))
}

fn check_equal(header: &str, value: &str, part: &str, expected: &str) -> Result<(), Rejection> {
    if value == expected {
        return Ok(());
    }
    mismatch(format!("{header} header `{value}` does not match body {part} `{expected}`"))
}

fn mismatch<T>(message: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection::header_mismatch(message))
}
