//! Reads JSON-RPC messages: the frame, and the parameters that all methods share.

mod frame;
mod meta;
mod request_id;

use std::fmt;

use axum::body::Bytes;
use rmcp::model::{ErrorData, JsonRpcError, ProtocolVersion, RequestId};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub(crate) use meta::{Meta, REQUIRED};
pub(crate) use request_id::request_id;

use crate::protocol::RpcResult;
use crate::protocol::message::frame::{CallMembers, FrameParams, NOT_A_MESSAGE, frame};

/// The response to a text that is not a message.
pub(crate) type ErrorResponse = Box<JsonRpcError>;

/// A message of a client.
#[expect(clippy::large_enum_variant, reason = "most messages are requests, and none is kept")]
#[derive(Debug)]
pub(crate) enum Message {
    Request(RpcRequest),
    Notification { method: String, params: Map<String, Value> },
    Response { id: Option<RequestId>, result: RpcResult<Value> },
}

#[derive(Debug)]
pub(crate) struct RpcRequest {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    pub(crate) meta: Meta,
    pub(crate) params: Params,
}

impl RpcRequest {
    /// Returns `true` for `initialize`, which 2026-07-28 has removed.
    pub(crate) fn opens_session(&self) -> bool {
        self.method == "initialize" && self.meta.version.as_ref().is_none_or(ProtocolVersion::has_initialize)
    }
}

/// The parameters of a request without its `_meta`.
#[derive(Debug)]
pub(crate) enum Params {
    Call(CallParams),
    /// A page of a list.
    List {
        cursor: Option<String>,
    },
    Other(Map<String, Value>),
}

/// The parameters of `tools/call`. Values of a wrong type are kept: their error depends on the era.
#[derive(Debug)]
pub(crate) struct CallParams {
    pub(crate) name: Option<String>,
    /// The JSON of the client; empty without arguments.
    pub(crate) arguments: Bytes,
    pub(crate) request_state: Option<Value>,
    pub(crate) input_responses: Option<Value>,
}

/// Reads a message.
///
/// # Errors
///
/// When the text is not JSON or not a message, repeats a member, or has a cursor of a wrong type.
pub(crate) fn read(text: &Bytes) -> Result<Message, ErrorResponse> {
    let frame = frame(text).map_err(|error| Box::new(JsonRpcError::new(request_id(text), error)))?;
    let unreadable = || unreadable(text);
    if frame.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
        return Err(unreadable());
    }
    let id = frame.id.map(|id| serde_json::from_str::<RequestId>(id.get()).map_err(|_| unreadable()));
    match (frame.method, frame.result, frame.error) {
        (Some(method), None, None) => match id {
            Some(id) => request(id?, method, frame.params, text).map(Message::Request),
            None => {
                let params = frame.params.as_ref().and_then(FrameParams::text).map(serde_json::from_str);
                let params = params.transpose().map_err(|_| unreadable())?.unwrap_or_default();
                Ok(Message::Notification { method, params })
            }
        },
        (None, Some(result), None) => {
            let result = serde_json::from_str(result.get()).map_err(|_| unreadable())?;
            Ok(Message::Response { id: Some(id.ok_or_else(unreadable)??), result: Ok(result) })
        }
        (None, None, Some(error)) => {
            let error = serde_json::from_str(error.get()).map_err(|_| unreadable())?;
            Ok(Message::Response { id: id.transpose().unwrap_or_default(), result: Err(error) })
        }
        _ => Err(unreadable()),
    }
}

fn request(
    id: RequestId,
    method: String,
    params: Option<FrameParams<'_>>,
    text: &Bytes,
) -> Result<RpcRequest, ErrorResponse> {
    let (meta, params) = match params {
        Some(FrameParams::Call(members)) => call_params(members, text),
        Some(FrameParams::Text(params)) if !params.get().starts_with('{') => return Err(unreadable(text)),
        params => read_params(&method, params.as_ref().and_then(FrameParams::text).unwrap_or("{}"), text)
            .map_err(|fault| match fault {
                ParamsError::Invalid(message) => {
                    Box::new(JsonRpcError::new(request_id(text), ErrorData::invalid_params(message, None)))
                }
                ParamsError::Unreadable => unreadable(text),
            })?,
    };
    Ok(RpcRequest { id, method, meta, params })
}

enum ParamsError {
    Invalid(String),
    /// They contain a value that cannot be parsed.
    Unreadable,
}

impl From<serde_json::Error> for ParamsError {
    fn from(error: serde_json::Error) -> Self {
        ParamsError::Invalid(error.to_string())
    }
}

fn read_params(method: &str, params: &str, text: &Bytes) -> Result<(Meta, Params), ParamsError> {
    match method {
        "tools/call" => Ok(call_params(serde_json::from_str(params)?, text)),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            let ListParams { cursor, meta } = serde_json::from_str(params)?;
            Ok((meta.unwrap_or_default(), Params::List { cursor }))
        }
        _ => {
            let UniqueMembers(mut members) = unique(params)?;
            if let Some(arguments) = arguments_of_prompt(method, params) {
                unique(arguments)?;
            }
            let meta = members.shift_remove("_meta").filter(|meta| !meta.is_null());
            let meta = meta.map(serde_json::from_value).transpose().map_err(|_| ParamsError::Unreadable)?;
            Ok((meta.unwrap_or_default(), Params::Other(members)))
        }
    }
}

fn call_params(members: CallMembers<'_>, text: &Bytes) -> (Meta, Params) {
    let CallMembers { name, arguments, request_state, input_responses, meta } = members;
    let arguments = arguments.map_or_else(Bytes::new, |raw| text.slice_ref(raw.get().as_bytes()));
    let name = name.and_then(|name| match name {
        Value::String(name) => Some(name),
        _ => None,
    });
    let call = CallParams { name, arguments, request_state, input_responses };
    (meta.unwrap_or_default(), Params::Call(call))
}

/// Returns the text of the arguments of `prompts/get`, if they are an object.
fn arguments_of_prompt<'m>(method: &str, params: &'m str) -> Option<&'m str> {
    #[derive(Deserialize)]
    struct Prompt<'m> {
        #[serde(borrow)]
        arguments: Option<&'m RawValue>,
    }

    let prompt: Prompt<'m> = (method == "prompts/get").then(|| serde_json::from_str(params).ok())??;
    prompt.arguments.map(RawValue::get).filter(|arguments| arguments.starts_with('{'))
}

#[derive(Deserialize)]
struct ListParams {
    cursor: Option<String>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

/// The members of an object, none of which is repeated.
struct UniqueMembers(Map<String, Value>);

fn unique(text: &str) -> Result<UniqueMembers, ParamsError> {
    serde_json::from_str(text).map_err(|error| match error.to_string() {
        message if message.starts_with("duplicate field") => ParamsError::Invalid(message),
        _ => ParamsError::Unreadable,
    })
}

impl<'de> Deserialize<'de> for UniqueMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = UniqueMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueMembers, A::Error> {
                let mut members = Map::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if members.contains_key(&name) {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                    members.insert(name, value);
                }
                Ok(UniqueMembers(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Rejects a text with a valid frame that is not a message.
fn unreadable(text: &[u8]) -> ErrorResponse {
    Box::new(JsonRpcError::new(request_id(text), ErrorData::invalid_request(NOT_A_MESSAGE, None)))
}

/// Rejects a request whose identifier is in use. The error has no identifier: the client would take it for the answer to the
/// other request.
pub(crate) fn in_flight(id: &RequestId) -> ErrorResponse {
    let message = format!("the request `{id}` is not answered yet: give each its own `id`");
    Box::new(JsonRpcError::new(None, ErrorData::invalid_request(message, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(text: &'static str) -> Result<Option<String>, (i32, String)> {
        let arguments = |message| match message {
            Message::Request(RpcRequest { params: Params::Call(call), .. }) if !call.arguments.is_empty() => {
                Some(String::from_utf8_lossy(&call.arguments).into_owned())
            }
            _ => None,
        };
        let read = read(&Bytes::from_static(text.as_bytes()));
        read.map(arguments).map_err(|error| (error.error.code.0, error.error.message.into_owned()))
    }

    #[test]
    fn keeps_raw_arguments() {
        let text =
            r#" {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments": {"n":1.0, "n":2}}}"#;
        assert_eq!(arguments(text), Ok(Some(r#"{"n":1.0, "n":2}"#.to_owned())));
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":null}}"#;
        assert_eq!(arguments(text), Ok(None));
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#;
        assert_eq!(arguments(text).unwrap_err().0, -32600);
    }

    #[test]
    fn distinguishes_invalid_json_from_invalid_messages() {
        assert_eq!(arguments("").unwrap_err().0, -32700);
        assert_eq!(arguments(r#"{"method":"#).unwrap_err().0, -32700);
        assert_eq!(arguments("\u{feff}{}").unwrap_err().0, -32700);
        let not_utf_8 = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xBD\"}";
        assert_eq!(read(&Bytes::from_static(not_utf_8)).unwrap_err().error.code.0, -32700);
        assert_eq!(arguments("[{}]"), Err((-32600, "batches are not supported".to_owned())));
        assert_eq!(arguments("5"), Err((-32600, "expected an object".to_owned())));
    }

    /// The parameters of a call are read along with the message if the method precedes them.
    #[test]
    fn reads_parameters_in_any_order() {
        for params in [
            r#"{"name": "a", "arguments": {"n": 1.0}, "_meta": {"progressToken": 1}, "other": [1]}"#,
            r#"{"name":5,"arguments":[],"requestState":{},"inputResponses":null,"_meta":null}"#,
            r#"["a",{},null,null,null]"#,
            "null",
            "5",
            "{}",
            r#"{"name":"a","name":"b"}"#,
            r#"{"_meta":5}"#,
            r#"{"name":1e999}"#,
            r#"{"arguments":{"n":1e999},"name":"\ud800"}"#,
        ] {
            for (before, after) in [(r#""id":1,"#, ""), ("", ""), ("", r#","params":{}"#)] {
                let (version, method) = (r#""jsonrpc":"2.0""#, r#""method":"tools/call""#);
                let texts = [
                    format!(r#"{{{version},{before}{method},"params":{params}{after}}}"#),
                    format!(r#"{{{version},{before}"params":{params}{after},{method}}}"#),
                ];
                let [first, last] = texts.map(|text| format!("{:?}", read(&text.into())));
                // A repeated member of the message itself is at another place.
                let end =
                    |read: &str| read.find(" at line").filter(|_| !after.is_empty()).unwrap_or(read.len());
                assert_eq!(first[..end(&first)], last[..end(&last)], "{params} {after}");
            }
        }
    }

    #[test]
    fn rejects_repeated_members() {
        for (text, code, field) in [
            (r#"{"method":"a","meth\u006fd":"b"}"#, -32600, "method"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
                -32602,
                "name",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}"#, -32602, "a"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"arguments":{"b":1,"b":2}}}"#,
                -32602,
                "b",
            ),
        ] {
            let (actual, message) = arguments(text).unwrap_err();
            assert_eq!(actual, code, "{text}");
            assert!(message.starts_with(&format!("duplicate field `{field}`")), "{message}");
        }
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#;
        assert_eq!(arguments(text).unwrap_err().0, -32602);
    }
}
