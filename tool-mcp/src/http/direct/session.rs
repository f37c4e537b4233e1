//! The short way for requests of a session: a call that comes to its end at once, and a list of one page, are answered in
//! JSON. A call that takes its time goes on over rmcp, whose stream can tell of it, ask, and be taken up again.

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, ProgressToken, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::caller::Caller;
use crate::envelope::is_plain;
use crate::handler::{Answered, Carried, EarlyCall, Listed};
use crate::http::direct::{Direct, METHOD, NAME, PROTOCOL_VERSION, json, message, only};
use crate::http::in_flight::{Held, InFlight};
use crate::http::sessions::{SESSION, Visit};

/// What became of a request of a session.
pub(in crate::http) enum Early {
    Answered(Response),
    /// The call has begun, and takes its time; its name is held as long as it is not answered.
    Begun(Carried, Held),
    /// Nothing was begun.
    LongWay,
}

/// A request with everything that it must have, and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'m> {
    jsonrpc: &'m str,
    id: RequestId,
    method: &'m str,
    #[serde(borrow, default, deserialize_with = "there")]
    params: Option<&'m RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call<'m> {
    name: &'m str,
    #[serde(borrow)]
    arguments: Option<&'m RawValue>,
    #[serde(rename = "_meta", default)]
    meta: Meta,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(rename = "_meta", default)]
    _meta: Meta,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    #[serde(rename = "progressToken")]
    token: Option<ProgressToken>,
}

/// Whatever stands there, also where it is `null`.
fn there<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

impl Direct {
    /// Answers a request of a session, or begins the call that it makes.
    pub(in crate::http) async fn begin(
        &self,
        head: &Parts,
        text: &Bytes,
        visit: &Visit,
        in_flight: &InFlight,
    ) -> Early {
        self.begun(head, text, visit, in_flight).await.unwrap_or(Early::LongWay)
    }

    async fn begun(&self, head: &Parts, text: &Bytes, visit: &Visit, in_flight: &InFlight) -> Option<Early> {
        let client = visit.client.client()?;
        if !self.lets_in_session(&head.headers) || !is_plain(text) || !visit.is_open().await {
            return None;
        }
        let caller = head.extensions.get::<Caller>()?;
        let Request { jsonrpc, id, method, params } = serde_json::from_slice(text).ok()?;
        if jsonrpc != "2.0" {
            return None;
        }
        match method {
            "tools/call" => {
                let Call { name, arguments, meta } = serde_json::from_str(params?.get()).ok()?;
                let arguments = arguments.map_or("", RawValue::get);
                if !matches!(arguments.as_bytes().first(), None | Some(b'{')) {
                    return None;
                }
                // One that another request has is refused where all are.
                let held = in_flight.begin(visit.session(), id.clone())?;
                let arguments = text.slice_ref(arguments.as_bytes());
                let call = EarlyCall { name, arguments, token: meta.token, head, caller, client };
                match self.handler.begin(call)?.at_once().await {
                    Ok(called) => Some(Early::Answered(answered(called, id)?)),
                    Err(begun) if held.is_held() => Some(Early::Begun(Carried::new(begun), held)),
                    // It was taken back before it came this far, and is dropped as any other that is.
                    Err(_) => Some(Early::Answered(nothing())),
                }
            }
            "tools/list" => {
                if let Some(params) = params {
                    let List { .. } = serde_json::from_str(params.get()).ok()?;
                }
                let listed = self.handler.listed_directly(caller, &client.era).await?;
                let Listed { before, tools, after } = match listed {
                    Ok(listed) => listed,
                    Err(error) => return Some(Early::Answered(answered(Err(error), id)?)),
                };
                let id = serde_json::to_string(&id).ok()?;
                let before = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{before}"#);
                Some(Early::Answered(json([before.into(), tools, (after + "}").into()])))
            }
            _ => None,
        }
    }

    fn lets_in_session(&self, headers: &HeaderMap) -> bool {
        let is_older = |version: &str| {
            let known = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str);
            version < ProtocolVersion::V_2026_07_28.as_str() && known.into_iter().any(|it| it == version)
        };
        // It came later than sessions did.
        let is_version =
            !headers.contains_key(PROTOCOL_VERSION) || only(headers, &PROTOCOL_VERSION).is_some_and(is_older);
        let is_bare = !headers.contains_key(METHOD) && !headers.contains_key(NAME);
        is_version && is_bare && only(headers, &SESSION).is_some() && self.lets_in(headers)
    }
}

/// Errors have the status of every answer.
fn answered(called: Result<Answered<CallToolResult>, ErrorData>, id: RequestId) -> Option<Response> {
    let mut result = match called {
        Ok(Answered::Reply(result)) => ServerResult::CallToolResult(result),
        Ok(Answered::Asks(asked)) => ServerResult::InputRequiredResult(asked),
        Err(error) => return message(&ServerJsonRpcMessage::error(error, Some(id))),
    };
    result.strip_result_type_for_legacy_peer();
    message(&ServerJsonRpcMessage::response(result, id))
}

/// The stream of a request that gets no answer.
fn nothing() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}
