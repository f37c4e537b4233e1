//! The short way: a request to call a tool or to list them, in which nothing is unusual, is answered without rmcp, whose own
//! way costs several times what the answer does.
//!
//! What is let through here, rmcp would let through as well; what is not, is not refused here but takes the long way, and
//! is refused there in the words that it always was. So each rule below may be stricter than that of rmcp, and never
//! laxer.

mod session;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body::{Frame, SizeHint};
use rmcp::model::{ErrorCode, RequestId, ServerJsonRpcMessage};
use tokio_util::sync::CancellationToken;

pub(super) use session::Early;

use crate::caller::Caller;
use crate::envelope::{Alone, Asks, Usual};
use crate::era::Era;
use crate::handler::{DirectCall, Handler, response};
use crate::http::policy::Policy;
use crate::http::sessions::SESSION;

/// The version whose requests stand alone.
const VERSION: &str = "2026-07-28";
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// What the headers of the protocol begin with.
const OF_PROTOCOL: &str = "mcp-";

/// Answers what can be answered at once.
pub(super) struct Direct {
    handler: Arc<Handler>,
    /// The hosts that a request may be for; `None` is any.
    hosts: Option<Arc<[String]>>,
    /// Nobody waits for answers any more.
    stop: CancellationToken,
}

impl Direct {
    pub(super) fn new(handler: Arc<Handler>, policy: &Policy, stop: CancellationToken) -> Self {
        Direct { handler, hosts: policy.hosts.clone().map(Arc::from), stop }
    }

    /// Whether no request is begun any more.
    pub(super) fn has_ended(&self) -> bool {
        self.handler.offers().has_ended()
    }

    /// The answer to a request that came with this head; `None` where it takes the long way.
    pub(super) async fn answer(&self, head: &Parts, text: &Bytes) -> Option<Response> {
        let headers = &head.headers;
        let version = only(headers, &PROTOCOL_VERSION)?;
        if version != VERSION || headers.contains_key(SESSION) || !self.lets_in(headers) {
            return None;
        }
        let caller = head.extensions.get::<Caller>()?;
        let request: Usual<'_, Alone<'_>> = Usual::read(text)?;
        let meta = request.meta?;
        if meta.version != VERSION || only(headers, &METHOD)? != request.asks.method() {
            return None;
        }
        match request.asks {
            Asks::Call { name, arguments } => {
                if only(headers, &NAME)? != name || encodes(name) {
                    return None;
                }
                let call = DirectCall { name, arguments, capabilities: &meta.capabilities, head, caller };
                self.call(call, request.id).await
            }
            Asks::List if headers.contains_key(NAME) => None,
            Asks::List => self.list(caller, &Era::modern(), request.id).await,
        }
    }

    /// The answer to a request for the list.
    async fn list(&self, caller: &Caller, era: &Era, id: RequestId) -> Option<Response> {
        if !self.handler.lists_directly(era) {
            return None;
        }
        Some(
            self.handler
                .listed_directly(Some(caller), era, id)
                .await
                .map_or_else(|error| unwritten(&error), json),
        )
    }

    async fn call(&self, call: DirectCall<'_>, id: RequestId) -> Option<Response> {
        let called = self.handler.called_directly(call);
        let called = tokio::select! {
            biased;
            called = called => called?,
            // What becomes of a tool that is dropped the registry knows. Going the long way would call it again.
            () = self.stop.cancelled() => return Some(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
        };
        let status = match &called {
            // As the protocol wants it.
            Err(error) if error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
                StatusCode::BAD_REQUEST
            }
            _ => StatusCode::OK,
        };
        let mut response = message(&response(called, id, &Era::modern()));
        *response.status_mut() = status;
        Some(response)
    }

    /// Whether nothing in the headers is worth a second look.
    fn lets_in(&self, headers: &HeaderMap) -> bool {
        let known = [PROTOCOL_VERSION, METHOD, NAME, SESSION];
        let unusual = |name: &HeaderName| {
            *name == header::ORIGIN
                || *name == header::CONTENT_ENCODING
                || (name.as_str().starts_with(OF_PROTOCOL) && !known.contains(name))
        };
        !headers.keys().any(unusual)
            && only(headers, &header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json")
            && only(headers, &header::ACCEPT).is_some_and(accepts_both)
            && only(headers, &header::HOST).is_some_and(|host| self.is_allowed(host))
    }

    fn is_allowed(&self, host: &str) -> bool {
        let Some((name, port)) = split(host) else { return false };
        let Some(hosts) = &self.hosts else { return true };
        // One that has a port of its own is allowed with that port alone.
        hosts.iter().any(|allowed| **allowed == *host || (port.is_some() && **allowed == *name))
    }
}

/// The name and the port of a host that is written in the plainest way.
fn split(host: &str) -> Option<(&str, Option<&str>)> {
    let end = match host.strip_prefix('[') {
        Some(_) => host.find(']')? + 1,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at(end);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let is_name = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(is_plain),
    };
    let port = if port.is_empty() { None } else { Some(port.strip_prefix(':')?) };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok() && !port.starts_with('+'));
    (is_name && is_port).then_some((name, port))
}

/// The one value of a header.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// Whether both forms of an answer are welcome, said in the plainest way.
fn accepts_both(accept: &str) -> bool {
    let welcome = |wanted: &str| accept.split(',').any(|kind| kind.trim() == wanted);
    !accept.contains([';', '"']) && welcome("application/json") && welcome("text/event-stream")
}

/// Whether a name would be read as encoded where it stands in a header.
fn encodes(name: &str) -> bool {
    name.starts_with("=?")
}

/// Errors of a well-formed request have the status of every answer.
fn message(message: &ServerJsonRpcMessage) -> Response {
    match serde_json::to_vec(message) {
        Ok(text) => json([text.into(), Bytes::new(), Bytes::new()]),
        Err(error) => unwritten(&error),
    }
}

fn unwritten(error: &serde_json::Error) -> Response {
    tracing::error!(%error, "an answer cannot be written as JSON");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

fn json(pieces: [Bytes; 3]) -> Response {
    let mut response = Response::new(Body::new(Pieces(pieces)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A body that is not put together before it is sent.
struct Pieces([Bytes; 3]);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let piece = self.0.iter_mut().find(|piece| !piece.is_empty()).map(std::mem::take);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests;
