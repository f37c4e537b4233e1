//! The response to a request, as text.

use axum::body::Bytes;
use rmcp::model::{
    CacheScope, ErrorCode, JsonRpcError, MetaObject, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Serialize;

use crate::protocol::RpcResult;
use crate::protocol::era::Era;

/// The result of a request.
#[expect(clippy::large_enum_variant, reason = "it is serialized at once")]
pub(crate) enum Reply {
    Result(ServerResult),
    List(ItemList),
}

impl<T: Into<ServerResult>> From<T> for Reply {
    fn from(result: T) -> Self {
        Reply::Result(result.into())
    }
}

/// A page of a list, whose items are JSON already.
pub(crate) struct ItemList {
    /// The member with the items: `tools`, `resources`.
    pub(crate) key: &'static str,
    /// The items without the brackets around them.
    pub(crate) items: Bytes,
    pub(crate) members: ListMembers,
}

/// The members of a list beside its items.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListMembers {
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<MetaObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cache_scope: Option<CacheScope>,
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

impl RpcResponse {
    pub(crate) fn new(id: RequestId, reply: RpcResult<Reply>, era: &Era) -> Self {
        match reply {
            Ok(Reply::Result(mut result)) => {
                if era.is_modern() {
                    result.fill_missing_cache_hints();
                } else {
                    result.strip_result_type_for_legacy_peer();
                    result.strip_non_object_output_for_legacy_peer();
                }
                RpcResponse::serialized(&ServerJsonRpcMessage::response(result, id), None)
            }
            Ok(Reply::List(list)) => RpcResponse::list(&id, list, era),
            Err(mut error) => {
                if era.is_modern() && error.code == ErrorCode::RESOURCE_NOT_FOUND {
                    error.code = ErrorCode::INVALID_PARAMS;
                }
                let code = error.code;
                RpcResponse::serialized(&JsonRpcError::new(Some(id), error), Some(code))
            }
        }
    }

    fn serialized(message: &impl Serialize, error: Option<ErrorCode>) -> Self {
        let text = serde_json::to_vec(message).unwrap_or_else(|error| {
            tracing::error!(%error, "a response cannot be serialized");
            Vec::new()
        });
        RpcResponse { pieces: [text.into(), Bytes::new(), Bytes::new()], error, lacks: Vec::new() }
    }

    fn list(id: &RequestId, ItemList { key, items, members }: ItemList, era: &Era) -> Self {
        let id = serde_json::to_string(id).unwrap_or_default();
        let members = serde_json::to_string(&members).unwrap_or_default();
        // Without the braces around them.
        let members = members.get(1..members.len() - 1).unwrap_or_default();
        let complete = if era.is_modern() { r#""resultType":"complete","# } else { "" };
        let comma = if members.is_empty() { "" } else { "," };
        let before = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{complete}{members}{comma}"{key}":["#);
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
