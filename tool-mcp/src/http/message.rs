//! A look at each message before rmcp parses it: what is no message gets a structured error, and the arguments of a
//! call are kept as the client wrote them.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use rmcp::model::{ErrorData, JsonRpcError, RequestId};

use crate::envelope::{self, Inspected, Kind, Refusal};
use crate::http::BODY_LIMIT;
use crate::http::direct::{Direct, Early, METHOD};
use crate::http::holding::Holding;
use crate::http::sessions::{SESSION, Visit};
use crate::http::{media, refused};
use crate::in_flight::{Held, InFlight};
use crate::offer::ending;
use crate::session::Acquaintance;
use crate::splice::{Slot, Spliced};

/// Reads the message of a POST.
///
/// A bad one goes to rmcp as an empty body: rmcp checks the headers first, which decide before the message does, and
/// then answers 415, as it does to a message of a shape that it does not know. That answer is replaced.
pub(super) async fn read<F: Future<Output = Response>>(
    reader: &Reader,
    request: Request,
    visit: Option<&Visit>,
    next: impl FnOnce(Request) -> F,
) -> Response {
    // Whatever is sent to a session may be a list, also what it was sent before and missed.
    let slot = visit.map(|visit| visit.slot.clone());
    if request.method() != Method::POST || !is_json(request.headers()) {
        let host = refused::host(request.headers(), request.uri());
        return refused::in_json(spliced(next(request).await, slot), host, || None).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, BODY_LIMIT).await else {
        let message = format!("the body could not be read, or is larger than {BODY_LIMIT} bytes");
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, envelope::invalid_request(&message));
    };
    if let Some(response) = reader.ended(&bytes) {
        return response;
    }
    let (carried, held) = match reader.early(&parts, &bytes, visit).await {
        Early::Answered(response) => return response,
        Early::Begun(call, held) => (Some(call), Some(held)),
        Early::LongWay => (None, None),
    };
    if let Some(name) = said_twice(&parts.headers) {
        return repeated(name, &bytes);
    }
    let (body, inspected, defect) = match inspect(&parts.headers, &bytes) {
        Ok(inspected) => (Body::from(trimmed(bytes.clone(), &inspected, &parts.headers)), inspected, None),
        Err(defect) => (Body::empty(), Inspected::default(), Some(defect)),
    };
    let held = match defect {
        None if held.is_none() => reader.hold(&parts.headers, &bytes, inspected.request),
        _ => Ok(held),
    };
    let held = match held {
        Ok(held) => held,
        Err(error) => return refusal(StatusCode::BAD_REQUEST, error),
    };
    let opening = (inspected.kind == Kind::Opening)
        .then(|| visit.map_or_else(Acquaintance::default, Visit::forget_client));
    // What is no list to us is answered whole, whatever rmcp takes it for.
    let slot = slot.filter(|_| inspected.kind == Kind::List);
    let mut request = Request::from_parts(parts, body);
    let extensions = request.extensions_mut();
    insert(extensions, slot.clone());
    insert(extensions, carried);
    insert(extensions, opening.clone());
    insert(extensions, inspected.arguments);
    let host = refused::host(request.headers(), request.uri());
    let mut response = spliced(next(request).await, slot);
    // For the session that is opened.
    insert(response.extensions_mut(), opening);
    answered(response, host, &bytes, defect, held).await
}

/// Refuses a message that says something twice in its head.
fn repeated(name: &HeaderName, message: &Bytes) -> Response {
    let error = ErrorData::header_mismatch(format!("the header `{name}` stands there more than once"), None);
    refusal(StatusCode::BAD_REQUEST, Box::new(JsonRpcError::new(envelope::request(message), error)))
}

/// Why a message does not go to rmcp, with the status of the answer.
type Defect = (StatusCode, Refusal);

fn inspect(headers: &HeaderMap, message: &Bytes) -> Result<Inspected, Defect> {
    if let Some(why) = media::unsupported(headers) {
        let error = JsonRpcError::new(envelope::request_id(message), ErrorData::invalid_request(why, None));
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, Box::new(error)));
    }
    envelope::inspect(message).map_err(|defect| (StatusCode::BAD_REQUEST, defect))
}

fn insert<T: Clone + Send + Sync + 'static>(extensions: &mut Extensions, value: Option<T>) {
    if let Some(value) = value {
        extensions.insert(value);
    }
}

/// What rmcp has answered, or what is answered in the place of it: all errors are JSON.
async fn answered(
    response: Response,
    host: Option<HeaderValue>,
    message: &Bytes,
    defect: Option<Defect>,
    held: Option<Held>,
) -> Response {
    match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let (status, error) =
                defect.unwrap_or_else(|| (StatusCode::BAD_REQUEST, envelope::unreadable(message)));
            refusal(status, error)
        }
        status if status.is_client_error() || status.is_server_error() => {
            refused::in_json(response, host, || envelope::request_id(message)).await
        }
        // The name is held until the last byte of the answer is handed over.
        _ => response.map(|body| match held {
            None => body,
            Some(held) => Holding::body(body, held),
        }),
    }
}

/// What is known of the messages before.
pub(super) struct Reader {
    pub(super) direct: Direct,
    pub(super) in_flight: InFlight,
}

impl Reader {
    /// Refuses a request after the server was told to end.
    fn ended(&self, message: &Bytes) -> Option<Response> {
        if !self.direct.has_ended() {
            return None;
        }
        let error = Box::new(JsonRpcError::new(Some(envelope::request(message)?), ending()));
        let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, error);
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        Some(response)
    }

    /// Answers a message without rmcp, or begins to, if it is one of those that take no more.
    async fn early(&self, parts: &Parts, message: &Bytes, visit: Option<&Visit>) -> Early {
        match visit {
            Some(visit) => self.direct.begin(parts, message, visit, &self.in_flight).await,
            None => self.direct.answer(parts, message).await.map_or(Early::LongWay, Early::Answered),
        }
    }

    /// Holds the name of a request of a session until it is answered, and lets go of one that a message takes back.
    fn hold(
        &self,
        headers: &HeaderMap,
        message: &Bytes,
        request: Option<RequestId>,
    ) -> Result<Option<Held>, Refusal> {
        let Some(session) = headers.get(SESSION).and_then(|session| session.to_str().ok()) else {
            return Ok(None);
        };
        if let Some(id) = request {
            let held = self.in_flight.begin(session, id.clone());
            return held.map(Some).ok_or_else(|| envelope::in_flight(&id));
        }
        if let Some(id) = envelope::taken_back(message) {
            self.in_flight.end(session, id);
        }
        Ok(None)
    }
}

/// An answer with the tools put into it, where it is a stream in which a list may be.
fn spliced(response: Response, slot: Option<Slot>) -> Response {
    match slot.filter(|_| is_stream(&response)) {
        Some(slot) => response.map(|body| Spliced::body(body, slot)),
        None => response,
    }
}

pub(super) fn is_stream(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
}

/// A header of the protocol with several values: whoever passes the request on may have gone by another than we would.
fn said_twice(headers: &HeaderMap) -> Option<&HeaderName> {
    let mut of_protocol = headers.keys().filter(|name| name.as_str().starts_with("mcp-"));
    of_protocol.find(|name| headers.get_all(*name).iter().nth(1).is_some())
}

/// The message for rmcp: without the arguments of a call, unless headers may have to repeat them and rmcp can read them.
fn trimmed(bytes: Bytes, inspected: &Inspected, headers: &HeaderMap) -> Bytes {
    let in_session = headers.contains_key(SESSION) && !headers.contains_key(METHOD);
    let arguments = inspected.arguments.as_ref().filter(|_| inspected.kind == Kind::Call);
    let arguments = arguments.filter(|arguments| in_session || !arguments.can_be_values());
    arguments.and_then(|arguments| arguments.left_out_of(&bytes)).unwrap_or(bytes)
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let essence =
        |value: &HeaderValue| value.to_str().ok()?.split(';').next().map(|name| name.trim().to_owned());
    headers
        .get(header::CONTENT_TYPE)
        .and_then(essence)
        .is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

pub(super) fn refusal(status: StatusCode, error: Refusal) -> Response {
    (status, axum::Json(error)).into_response()
}
