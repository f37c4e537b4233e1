//! The headers of 2026-07-28, which repeat parts of the message.

use axum::http::{HeaderMap, HeaderName};
use rmcp::model::ProtocolVersion;
use serde_json::Value;

use crate::http::rejection::Rejection;
use crate::protocol::param_headers::{check_equal, decoded, mismatch, single};
use crate::protocol::{Params, RpcRequest};

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// These as errors write them.
const METHOD_TITLE: &str = "Mcp-Method";
const NAME_TITLE: &str = "Mcp-Name";

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
    let is_supported =
        || ProtocolVersion::KNOWN_VERSIONS.iter().any(|supported| supported.as_str() == version);
    if !in_message && !is_supported() {
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
        Some(name) => Ok(mismatch(format!("the header `{name}` is repeated"))?),
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
    let method = single(headers, METHOD, METHOD_TITLE)?.filter(|_| is_modern(version));
    method.map_or(Ok(()), |method| Ok(check_equal(METHOD_TITLE, method, "method", "initialize")?))
}

/// Checks that the version in the head is that of the message.
pub(super) fn check_version(
    version: Option<&str>,
    in_message: Option<&ProtocolVersion>,
) -> Result<(), Rejection> {
    match (version, in_message.map(ProtocolVersion::as_str)) {
        (None, Some(_)) => {
            Ok(mismatch("request _meta protocolVersion requires MCP-Protocol-Version header")?)
        }
        (Some(version), Some(in_message)) if version != in_message => Ok(mismatch(format!(
            "MCP-Protocol-Version header ({version}) does not match request _meta protocolVersion \
             ({in_message})"
        ))?),
        _ => Ok(()),
    }
}

/// Checks that the head repeats the method.
pub(super) fn check_method(headers: &HeaderMap, method: &str) -> Result<(), Rejection> {
    match single(headers, METHOD, METHOD_TITLE)? {
        None => Ok(mismatch("missing required Mcp-Method header")?),
        Some(value) => Ok(check_equal(METHOD_TITLE, value, "method", method)?),
    }
}

/// Checks that the head repeats the method of a request, and the name or URI in it. [`ParamHeaders`] checks the arguments
/// as soon as the tools of the caller are known.
pub(super) fn check_request(headers: &HeaderMap, request: &RpcRequest) -> Result<(), Rejection> {
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
        let Some(value) = single(headers, NAME, NAME_TITLE)? else {
            // FastMCP's client of tasks leaves it out (`fastmcp-tasks` 4.1.4). It serves proxies; the server reads the message.
            if member == "taskId" {
                return Ok(());
            }
            return Ok(mismatch(format!("missing required Mcp-Name header for `{}`", request.method))?);
        };
        check_equal(NAME_TITLE, &decoded(value, NAME_TITLE)?, "value", name)?;
    }
    Ok(())
}
