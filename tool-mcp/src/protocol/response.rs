//! The response to a request, as text.

use std::fmt::Display;

use axum::body::Bytes;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ErrorCode, JsonRpcError, RequestId, ServerResult};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tool_core::CallId;

use crate::protocol::context::RequestContext;

/// A page of a list, whose items are JSON already.
pub(crate) struct ItemList<'h> {
    /// The member with the items: `tools`, `resources`.
    pub(crate) key: &'static str,
    /// The items without the brackets around them.
    pub(crate) items: Bytes,
    pub(crate) members: ListMembers<'h>,
}

/// The members of a list beside its items.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListMembers<'h> {
    #[serde(rename = "_meta", skip_serializing_if = "ResultMeta::is_empty")]
    pub(crate) meta: ResultMeta<'h>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cache_scope: Option<CacheScope>,
}

/// The `_meta` of a result.
#[derive(Default, Serialize)]
pub(crate) struct ResultMeta<'h> {
    #[serde(rename = "tool-core/callId", skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub(crate) call_id: Option<CallId>,
    /// The kind of a failure.
    #[serde(rename = "tool-core/kind", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    /// The reason of a tool that failed, which its kind does not tell.
    #[serde(rename = "tool-core/reason", skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(rename = "tool-core/retryable", skip_serializing_if = "Option::is_none")]
    pub(crate) retryable: Option<bool>,
    #[serde(rename = "tool-core/retryAfterSeconds", skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<u64>,
    /// What the tool added.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) of_tool: Option<&'h Map<String, Value>>,
    /// The name and version of the server, in the modern era.
    #[serde(rename = "io.modelcontextprotocol/serverInfo", skip_serializing_if = "Option::is_none")]
    pub(crate) server: Option<&'h RawValue>,
}

impl ResultMeta<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.call_id.is_none() && self.server.is_none()
    }
}

/// Serializes a value as text.
fn text<S: Serializer>(value: &Option<impl Display>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// The result of a request that only needs to be confirmed.
#[cfg(feature = "tasks")]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Acknowledged<'h> {
    result_type: &'static str,
    #[serde(rename = "_meta")]
    meta: ResultMeta<'h>,
}

#[cfg(feature = "tasks")]
impl<'h> Acknowledged<'h> {
    pub(crate) fn new(meta: ResultMeta<'h>) -> Self {
        Acknowledged { result_type: "complete", meta }
    }
}

/// The text of a response, in pieces so that a long list is not copied.
#[derive(Clone, Debug)]
pub(crate) struct RpcResponse {
    pub(crate) pieces: [Bytes; 3],
    /// The code of an error.
    pub(crate) error: Option<ErrorCode>,
    /// The permissions that the call needs, if the caller lacks one of them.
    pub(crate) lacks: Vec<String>,
}

/// What most responses fit in: as a short text, it would grow several times.
const USUAL_LENGTH: usize = 512;

/// Returns the text of a response up to its result.
fn success_prefix(id: &RequestId) -> Vec<u8> {
    let mut text = Vec::with_capacity(USUAL_LENGTH);
    text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    // Writing an identifier into memory does not fail.
    let _ = serde_json::to_writer(&mut text, id);
    text.extend_from_slice(br#","result":"#);
    text
}

impl RpcResponse {
    pub(crate) fn of(result: impl Into<ServerResult>, cx: &RequestContext) -> Self {
        let mut result = result.into();
        if cx.era.is_modern() {
            result.fill_missing_cache_hints();
        } else {
            result.strip_result_type_for_legacy_peer();
        }
        RpcResponse::success(&result, cx)
    }

    /// Returns the response with a result that follows the era of the request already.
    pub(crate) fn success(result: &impl Serialize, cx: &RequestContext) -> Self {
        let mut text = success_prefix(&cx.id);
        match serde_json::to_writer(&mut text, result) {
            Ok(()) => text.push(b'}'),
            Err(error) => {
                tracing::error!(%error, "a response cannot be serialized");
                text.clear();
            }
        }
        RpcResponse { pieces: [text.into(), Bytes::new(), Bytes::new()], error: None, lacks: Vec::new() }
    }

    pub(crate) fn error(mut error: ErrorData, cx: &RequestContext) -> Self {
        if cx.era.is_modern() && error.code == ErrorCode::RESOURCE_NOT_FOUND {
            error.code = ErrorCode::INVALID_PARAMS;
        }
        let code = error.code;
        cx.operation.fail(code, &error.message);
        let text =
            serde_json::to_vec(&JsonRpcError::new(Some(cx.id.clone()), error)).unwrap_or_else(|error| {
                tracing::error!(%error, "an error cannot be serialized");
                Vec::new()
            });
        RpcResponse {
            pieces: [text.into(), Bytes::new(), Bytes::new()],
            error: Some(code),
            lacks: Vec::new(),
        }
    }

    pub(crate) fn list(ItemList { key, items, members }: ItemList<'_>, cx: &RequestContext) -> Self {
        let members = serde_json::to_string(&members).unwrap_or_default();
        // Without the braces around them.
        let members = members.get(1..members.len() - 1).unwrap_or_default();
        let complete = if cx.era.is_modern() { r#""resultType":"complete","# } else { "" };
        let comma = if members.is_empty() { "" } else { "," };
        let mut before = success_prefix(&cx.id);
        for part in ["{", complete, members, comma, "\"", key, "\":["] {
            before.extend_from_slice(part.as_bytes());
        }
        RpcResponse {
            pieces: [before.into(), items, Bytes::from_static(b"]}}")],
            error: None,
            lacks: Vec::new(),
        }
    }

    /// Returns the whole text.
    pub(crate) fn text(&self) -> Bytes {
        match &self.pieces {
            [text, middle, end] if middle.is_empty() && end.is_empty() => text.clone(),
            pieces => pieces.concat().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_its_pieces_to_one_text() {
        for (pieces, text) in [
            (["{}", "", ""], "{}"),
            (["{\"tools\":[", "1,2", "]}"], "{\"tools\":[1,2]}"),
            (["{\"tools\":[", "", "]}"], "{\"tools\":[]}"),
        ] {
            let pieces = pieces.map(|piece| Bytes::from_static(piece.as_bytes()));
            assert_eq!(RpcResponse { pieces, error: None, lacks: Vec::new() }.text(), text);
        }
    }
}
