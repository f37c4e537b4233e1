//! The answer to a request, as text.

use axum::body::Bytes;
use rmcp::model::{
    CacheScope, ErrorCode, ErrorData, JsonRpcError, MetaObject, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Serialize;

use crate::protocol::era::Era;

/// What a request has come to.
#[expect(clippy::large_enum_variant, reason = "it is serialized at once")]
pub(crate) enum Reply {
    Result(ServerResult),
    Tools(ToolList),
}

impl<T: Into<ServerResult>> From<T> for Reply {
    fn from(result: T) -> Self {
        Reply::Result(result.into())
    }
}

/// A page of the list of tools, which are JSON already.
pub(crate) struct ToolList {
    /// The tools without the brackets around them.
    pub(crate) tools: Bytes,
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

/// The text of an answer, in pieces so that a long list is not copied.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) pieces: [Bytes; 3],
    /// If it is an error.
    pub(crate) error: Option<ErrorCode>,
}

impl Response {
    pub(crate) fn new(id: RequestId, reply: Result<Reply, ErrorData>, era: &Era) -> Self {
        match reply {
            Ok(Reply::Result(mut result)) => {
                if era.is_modern() {
                    result.fill_missing_cache_hints();
                } else {
                    result.strip_result_type_for_legacy_peer();
                    result.strip_non_object_output_for_legacy_peer();
                }
                Response::serialized(&ServerJsonRpcMessage::response(result, id), None)
            }
            Ok(Reply::Tools(list)) => Response::listed(&id, list, era),
            Err(mut error) => {
                if era.is_modern() && error.code == ErrorCode::RESOURCE_NOT_FOUND {
                    error.code = ErrorCode::INVALID_PARAMS;
                }
                let code = error.code;
                Response::serialized(&JsonRpcError::new(Some(id), error), Some(code))
            }
        }
    }

    fn serialized(message: &impl Serialize, error: Option<ErrorCode>) -> Self {
        let text = serde_json::to_vec(message).unwrap_or_else(|error| {
            tracing::error!(%error, "an answer cannot be serialized");
            Vec::new()
        });
        Response { pieces: [text.into(), Bytes::new(), Bytes::new()], error }
    }

    fn listed(id: &RequestId, list: ToolList, era: &Era) -> Self {
        let id = serde_json::to_string(id).unwrap_or_default();
        let members = serde_json::to_string(&list.members).unwrap_or_default();
        // Without the braces around them.
        let members = members.get(1..members.len() - 1).unwrap_or_default();
        let complete = if era.is_modern() { r#""resultType":"complete","# } else { "" };
        let comma = if members.is_empty() { "" } else { "," };
        let before = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{complete}{members}{comma}"tools":["#);
        Response { pieces: [before.into(), list.tools, Bytes::from_static(b"]}}")], error: None }
    }

    /// Returns the whole text.
    pub(crate) fn text(&self) -> Bytes {
        match &self.pieces {
            [text, middle, end] if middle.is_empty() && end.is_empty() => text.clone(),
            pieces => pieces.concat().into(),
        }
    }
}
