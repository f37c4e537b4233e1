//! The frame of a JSON-RPC message, read without what it holds.

mod id;
mod plain;
mod usual;

use std::collections::HashSet;
use std::fmt;

use axum::body::Bytes;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcError, RequestId};
use rmcp::service::RequestContext;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use id::request_id;
pub(crate) use plain::is_plain;
pub(crate) use usual::{Alone, Asks, EitherMeta, InSession, Usual};

/// The arguments of a call as the client wrote them: a parsed value has lost duplicate keys and long numbers.
#[derive(Clone, Debug)]
pub(crate) struct Arguments(Bytes);

impl Arguments {
    /// The arguments that came with a request, over either transport.
    pub(crate) fn of(cx: &RequestContext<RoleServer>) -> Option<&Arguments> {
        let over_http = || cx.extensions.get::<Parts>()?.extensions.get();
        cx.extensions.get().or_else(over_http)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the message that they came with, with an empty object in their place: rmcp reads every value in a message
    /// several times over, refuses the whole message for some that it cannot hold, and nobody looks at what it makes of
    /// these.
    pub(crate) fn left_out_of(&self, message: &Bytes) -> Option<Bytes> {
        // They are a part of the message.
        let start = self.0.as_ptr().addr().checked_sub(message.as_ptr().addr())?;
        let (before, after) = (message.get(..start)?, message.get(start + self.0.len()..)?);
        Some([before, b"{}", after].concat().into())
    }

    /// Whether rmcp can hold them as a value. It must where headers may have to repeat them.
    pub(crate) fn can_be_values(&self) -> bool {
        is_plain(&self.0) || serde_json::from_slice::<Value>(&self.0).is_ok()
    }
}

/// The error that answers what is no message.
pub(crate) type Refusal = Box<JsonRpcError>;

/// Members that may stand once. `derive` refuses a second one, however it is spelled.
#[derive(Deserialize)]
struct Frame<'m> {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: Option<IgnoredAny>,
    #[serde(borrow)]
    id: Option<&'m RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'m RawValue>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

impl Frame<'_> {
    /// The identifier of a message that wants an answer.
    fn request(&self) -> Option<RequestId> {
        let id = self.id.filter(|_| self.method.is_some())?;
        serde_json::from_str(id.get()).ok()
    }
}

/// What was found out about a message.
#[derive(Debug, Default)]
pub(crate) struct Inspected {
    /// If it is a call that has some.
    pub(crate) arguments: Option<Arguments>,
    pub(crate) kind: Kind,
    /// Its identifier, if it wants an answer.
    pub(crate) request: Option<RequestId>,
}

/// What a message most likely is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A request to call a tool.
    Call,
    /// A request to list the tools.
    List,
    /// A request to open a session.
    Opening,
    #[default]
    Other,
}

#[derive(Deserialize)]
struct CallParams<'m> {
    #[serde(rename = "name")]
    _name: Option<IgnoredAny>,
    #[serde(rename = "_meta")]
    _meta: Option<IgnoredAny>,
    #[serde(borrow)]
    arguments: Option<&'m RawValue>,
}

#[derive(Deserialize)]
struct ListParams {
    #[serde(rename = "_meta")]
    _meta: Option<IgnoredAny>,
    // rmcp takes a cursor that is no text for none at all.
    #[serde(rename = "cursor")]
    _cursor: Option<String>,
}

/// An object no member of which is there twice, however it is spelled.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Unique;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
                let mut names = HashSet::new();
                while let Some((name, IgnoredAny)) = map.next_entry::<String, _>()? {
                    if let Some(name) = names.replace(name) {
                        return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                    }
                }
                Ok(Unique)
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// Finds the arguments, if the message is a call that has some, and what it is.
///
/// # Errors
///
/// When the text is no JSON, no object, says something twice, or has a cursor that is none.
pub(crate) fn inspect(text: &Bytes) -> Result<Inspected, Refusal> {
    let frame = frame(text)?;
    let request = frame.request();
    let kind = match frame.method.as_deref() {
        _ if frame.result.is_some() || frame.error.is_some() => Kind::Other,
        Some("tools/call") => Kind::Call,
        Some("tools/list") => Kind::List,
        Some("initialize") => Kind::Opening,
        _ => Kind::Other,
    };
    let Some(params) = frame.params.map(RawValue::get).filter(|params| params.starts_with('{')) else {
        return Ok(Inspected { arguments: None, kind, request });
    };
    let invalid = |error: serde_json::Error| {
        Box::new(JsonRpcError::new(request_id(text), ErrorData::invalid_params(error.to_string(), None)))
    };
    let read = || match frame.method.as_deref() {
        Some("tools/call") => {
            let params: CallParams<'_> = serde_json::from_str(params)?;
            Ok(params.arguments.map(|arguments| Arguments(text.slice_ref(arguments.get().as_bytes()))))
        }
        Some("prompts/get") => {
            let params: CallParams<'_> = serde_json::from_str(params)?;
            // What is no object at all is told so by the handler.
            let members = params.arguments.map(RawValue::get).filter(|arguments| arguments.starts_with('{'));
            members.map_or(Ok(None), |members| serde_json::from_str(members).map(|Unique| None))
        }
        Some("tools/list" | "resources/list" | "resources/templates/list" | "prompts/list") => {
            serde_json::from_str(params).map(|_: ListParams| None)
        }
        Some(_) => serde_json::from_str(params).map(|Unique| None),
        None => Ok(None),
    };
    match read() {
        Ok(arguments) => Ok(Inspected { arguments, kind, request }),
        Err(error) => Err(invalid(error)),
    }
}

/// The identifier of a message that wants an answer.
pub(crate) fn request(text: &Bytes) -> Option<RequestId> {
    serde_json::from_slice::<Frame<'_>>(text).ok()?.request()
}

/// The identifier of the request that a notification takes back.
pub(crate) fn taken_back(text: &Bytes) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Cancelled {
        #[serde(rename = "requestId")]
        request: RequestId,
    }

    let frame: Frame<'_> = serde_json::from_slice(text).ok()?;
    let params = frame.params.filter(|_| frame.method.as_deref() == Some("notifications/cancelled"))?;
    serde_json::from_str(params.get()).ok().map(|Cancelled { request }| request)
}

/// Reads the frame, in one pass where nothing is wrong with it.
fn frame(text: &[u8]) -> Result<Frame<'_>, Refusal> {
    // A list would be read as the members of an object in their order.
    if text.trim_ascii_start().starts_with(b"{")
        && let Ok(frame) = serde_json::from_slice(text)
    {
        return Ok(frame);
    }
    Err(Box::new(JsonRpcError::new(request_id(text), defect(text))))
}

/// What is wrong with a text that has no good frame.
fn defect(text: &[u8]) -> ErrorData {
    let parse_error = |message: String| ErrorData::new(ErrorCode::PARSE_ERROR, message, None);
    let invalid = |message: String| ErrorData::invalid_request(message, None);
    if text.starts_with(b"\xEF\xBB\xBF") {
        let message = "the text begins with a byte order mark, which JSON does not allow: leave it out";
        return parse_error(message.to_owned());
    }
    let message: &RawValue = match serde_json::from_slice(text) {
        Ok(message) => message,
        Err(error) => return parse_error(format!("not JSON: {error}")),
    };
    match message.get().as_bytes() {
        [b'[', ..] => invalid("batches are not supported".to_owned()),
        [b'{', ..] => {
            let defect = serde_json::from_str::<Frame<'_>>(message.get()).err();
            invalid(defect.map_or_else(|| NO_MESSAGE.to_owned(), |error| error.to_string()))
        }
        _ => invalid("expected an object".to_owned()),
    }
}

const NO_MESSAGE: &str = "the message is not a JSON-RPC 2.0 request, notification or response";

/// The error to a message that is JSON in a good frame, and still cannot be read.
pub(crate) fn unreadable(text: &[u8]) -> Refusal {
    Box::new(JsonRpcError::new(request_id(text), ErrorData::invalid_request(NO_MESSAGE, None)))
}

/// The error to a request whose name another one has that is not answered yet. It carries no name: it would be taken for the
/// answer to the other.
pub(crate) fn in_flight(id: &RequestId) -> Refusal {
    invalid_request(&format!("the request `{id}` is not answered yet: give each its own `id`"))
}

/// The error to a request of a client that has too many already.
pub(crate) fn too_many(id: &RequestId, most: usize) -> Refusal {
    let retry = serde_json::json!({"retryable": true});
    let message = format!("{most} requests are not answered yet, or their answers not read: try again");
    Box::new(JsonRpcError::new(Some(id.clone()), ErrorData::internal_error(message, Some(retry))))
}

pub(crate) fn invalid_request(message: &str) -> Refusal {
    Box::new(JsonRpcError::new(None, ErrorData::invalid_request(message.to_owned(), None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inspected(text: &'static str) -> Result<Option<String>, (i32, String)> {
        let found = inspect(&Bytes::from_static(text.as_bytes()));
        found
            .map(|found| found.arguments.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()))
            .map_err(|error| (error.error.code.0, error.error.message.into_owned()))
    }

    #[test]
    fn arguments_are_kept_to_the_letter() {
        let text = r#" {"method":"tools/call","params":{"arguments": {"n":1.0, "n":2}}}"#;
        assert_eq!(inspected(text), Ok(Some(r#"{"n":1.0, "n":2}"#.to_owned())));
        assert_eq!(inspected(r#"{"method":"tools/list","params":{"arguments":{}}}"#), Ok(None));
        assert_eq!(inspected(r#"{"method":"tools/call","params":{"arguments":null}}"#), Ok(None));
        assert_eq!(inspected(r#"{"method":"tools/call","params":[1]}"#), Ok(None));
    }

    #[test]
    fn arguments_are_left_out_where_they_stand() {
        let without = |text: &'static str| {
            let text = Bytes::from_static(text.as_bytes());
            let arguments = inspect(&text).unwrap().arguments.unwrap();
            arguments.left_out_of(&text).map(|text| String::from_utf8(text.to_vec()).unwrap())
        };
        let text = r#"{"method":"tools/call","params":{"arguments": {"b":{}},"name":"a"}}"#;
        let expected = r#"{"method":"tools/call","params":{"arguments": {},"name":"a"}}"#;
        assert_eq!(without(text).as_deref(), Some(expected));
        let text = r#"{"method":"tools/call","params":{"arguments":[1e400],"name":"a"}}"#;
        let expected = r#"{"method":"tools/call","params":{"arguments":{},"name":"a"}}"#;
        assert_eq!(without(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_is_no_message_is_told_from_what_is_no_json() {
        assert_eq!(inspected("").unwrap_err().0, -32700);
        assert_eq!(inspected(r#"{"method":"#).unwrap_err().0, -32700);
        assert_eq!(inspected("\u{feff}{}").unwrap_err().0, -32700);
        assert_eq!(inspected("[{}]"), Err((-32600, "batches are not supported".to_owned())));
        assert_eq!(inspected("5"), Err((-32600, "expected an object".to_owned())));
    }

    #[test]
    fn nothing_is_said_twice() {
        let (code, message) = inspected(r#"{"method":"a","meth\u006fd":"b"}"#).unwrap_err();
        assert_eq!(code, -32600);
        assert!(message.starts_with("duplicate field `method`"), "{message}");
        let (code, message) =
            inspected(r#"{"method":"tools/call","params":{"name":"a","name":"b"}}"#).unwrap_err();
        assert_eq!(code, -32602);
        assert!(message.starts_with("duplicate field `name`"), "{message}");
        assert_eq!(inspected(r#"{"method":"tools/list","params":{"cursor":5}}"#).unwrap_err().0, -32602);
    }
}
