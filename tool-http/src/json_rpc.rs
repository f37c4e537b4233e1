//! The list of tools over JSON-RPC 2.0. Calls over JSON-RPC are part of MCP, see `tool-mcp`.

use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tool_core::{Registry, ToolDefinition};

use crate::error::{ApiError, forbid_storing};
use crate::json::json;
use crate::query;
use crate::representation::Representation;
use crate::request_context::RequestContext;

/// `GET /mcp/tools/list`: has no request, and so no id.
pub(crate) async fn get(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    query::expect_empty(&context.head.uri)?;
    match context.tools(viewer).await {
        Ok(tools) => {
            let list = Representation::json(&JsonRpcMessage::result(None, &tools))?;
            Ok(context.respond(&list))
        }
        Err(ApiError::Discovery) => Ok(JsonRpcError::Discovery.into_response(None)),
        Err(error) => Err(error),
    }
}

/// `POST /mcp/tools/list`.
pub(crate) async fn post(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    query::expect_empty(&context.head.uri)?;
    let (api, cache_control) = (context.api.clone(), context.cache_control());
    let body = context.arguments().await?;
    let id = match JsonRpcRequest::read(&body) {
        Ok(JsonRpcRequest { id: Some(id), .. }) => id,
        // A notification has no response.
        Ok(JsonRpcRequest { id: None, .. }) => return Ok(StatusCode::NO_CONTENT.into_response()),
        Err((error, id)) => return Ok(error.into_response(Some(id))),
    };
    match api.tools(&viewer).await {
        Ok(tools) => {
            let tools = tools.as_principal(viewer);
            let mut response = json(StatusCode::OK, &JsonRpcMessage::result(Some(id), &tools));
            cache_control.apply(response.headers_mut());
            Ok(response)
        }
        Err(_) => Ok(JsonRpcError::Discovery.into_response(Some(id))),
    }
}

/// A request. The id remains raw JSON, so that numbers keep all digits.
#[derive(Deserialize)]
struct JsonRpcRequest<'b> {
    jsonrpc: &'b RawValue,
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    id: Option<&'b RawValue>,
    method: &'b RawValue,
    #[serde(borrow, default, deserialize_with = "deserialize_present")]
    params: Option<&'b RawValue>,
}

/// Distinguishes `null` from a missing value.
fn deserialize_present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'b> JsonRpcRequest<'b> {
    /// Reads a request for the list.
    ///
    /// # Errors
    ///
    /// Returns the error and the id of the request, which is `null` if it cannot be read.
    fn read(body: &'b [u8]) -> Result<Self, (JsonRpcError, &'b RawValue)> {
        let text: &RawValue =
            serde_json::from_slice(body).map_err(|_| (JsonRpcError::Parse, RawValue::NULL))?;
        let request: JsonRpcRequest<'b> =
            serde_json::from_str(text.get()).map_err(|_| (JsonRpcError::InvalidRequest, RawValue::NULL))?;
        let id = request.id.unwrap_or(RawValue::NULL);
        if !is_id(id) {
            return Err((JsonRpcError::InvalidRequest, RawValue::NULL));
        }
        let is = |value: &RawValue, text: &str| {
            serde_json::from_str::<String>(value.get()).is_ok_and(|value| value == text)
        };
        let is_text = request.method.get().starts_with('"');
        // The content is ignored: the list has one page and no filters.
        let params = request.params.is_none_or(|params| params.get().starts_with(['{', '[']));
        if !is(request.jsonrpc, "2.0") || !is_text || !params {
            return Err((JsonRpcError::InvalidRequest, id));
        }
        if is(request.method, "tools/list") { Ok(request) } else { Err((JsonRpcError::MethodNotFound, id)) }
    }
}

/// Returns `true` for a string, a number or `null` (JSON-RPC 2.0, section 4).
fn is_id(id: &RawValue) -> bool {
    id.get().starts_with(|first: char| first == '"' || first == '-' || first == 'n' || first.is_ascii_digit())
}

/// An error of JSON-RPC; the HTTP status is always 200.
#[derive(Clone, Copy)]
enum JsonRpcError {
    Parse,
    InvalidRequest,
    MethodNotFound,
    Discovery,
}

impl JsonRpcError {
    fn into_response(self, id: Option<&RawValue>) -> Response {
        let (code, message) = match self {
            JsonRpcError::Parse => (-32700, "Parse error"),
            JsonRpcError::InvalidRequest => (-32600, "Invalid Request"),
            JsonRpcError::MethodNotFound => (-32601, "Method not found"),
            JsonRpcError::Discovery => (-32603, "Internal error discovering tools"),
        };
        let error = Some(ErrorObject { code, message });
        let mut response = json(StatusCode::OK, &JsonRpcMessage { jsonrpc: "2.0", id, result: None, error });
        forbid_storing(response.headers_mut());
        response
    }
}

#[derive(Serialize)]
struct JsonRpcMessage<'m> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'m RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<List<'m>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorObject>,
}

#[derive(Serialize)]
struct ErrorObject {
    code: i32,
    message: &'static str,
}

#[derive(Serialize)]
struct List<'t> {
    tools: Vec<ToolEntry<'t>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolEntry<'t> {
    name: &'t str,
    description: &'t str,
    input_schema: &'t Value,
}

impl<'m> JsonRpcMessage<'m> {
    /// Returns the tools that the caller can call now, like the list of MCP.
    fn result(id: Option<&'m RawValue>, tools: &'m Registry) -> Self {
        let tools = tools.callable().map(ToolEntry::of).collect();
        JsonRpcMessage { jsonrpc: "2.0", id, result: Some(List { tools }), error: None }
    }
}

impl<'t> ToolEntry<'t> {
    fn of(tool: &'t ToolDefinition) -> Self {
        ToolEntry { name: tool.name(), description: tool.description(), input_schema: tool.input_schema() }
    }
}
