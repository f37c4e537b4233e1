//! A call as a stream of events: progress, log messages, and at last the result.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{self, Body};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use mime::Mime;
use serde_json::json;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Interval, interval_at, timeout};
use tool_core::adapter::{CallEvent, CallEvents};
use tool_core::logging::LogLevel;
use tool_core::{CallOptions, FailureKind, Reply};
use tracing::Instrument as _;

use crate::content_coding::NoCompression;
use crate::error::ApiError;
use crate::response;

/// How often a comment is sent while nothing happens, so that no proxy closes the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The least severe level of log messages that are sent.
const LEAST: LogLevel = LogLevel::Info;

/// What a client accepts that prefers events to JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    Events,
    EventsOrJson,
}

/// Returns what a client accepts; `None` if it does not prefer events to JSON.
pub(crate) fn preferred(headers: &HeaderMap) -> Option<Accepted> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let media =
        values.flat_map(|value| value.split(',')).filter_map(|media| media.trim().parse::<Mime>().ok());
    let (mut events, mut json) = (0.0_f32, 0.0_f32);
    for media in media {
        let weight = media.get_param("q").map_or(1.0, |weight| weight.as_str().parse().unwrap_or(0.0));
        if media.essence_str() == mime::TEXT_EVENT_STREAM.essence_str() {
            events = weight;
        } else if media.essence_str() == mime::APPLICATION_JSON.essence_str() {
            json = weight;
        }
    }
    let accepted = if json > 0.0 { Accepted::EventsOrJson } else { Accepted::Events };
    (events > json).then_some(accepted)
}

/// Responds to a call with events. If nothing has happened before its result, a client that accepts JSON as well gets the
/// usual response, and any client if the call is refused.
///
/// The call runs in a task of its own, so that a client that reads slowly does not delay it. It is dropped when the client
/// disconnects, which cancels a call that modifies nothing.
///
/// # Errors
///
/// Returns an error if the response cannot be serialized.
pub(crate) async fn respond<F>(
    call: impl FnOnce(CallOptions) -> F + Send + 'static,
    options: CallOptions,
    accepted: Accepted,
) -> Result<Response, ApiError>
where
    F: Future<Output = Reply> + Send + 'static,
{
    let (sender, mut messages) = mpsc::channel(1);
    let task = tokio::spawn(run(call, options, accepted, sender).in_current_span());
    let task = AbortOnDrop(task.abort_handle());
    let first = match timeout(KEEP_ALIVE, messages.recv()).await {
        Ok(Some(Message::Only(_, reply))) => return Ok(response::call_response(&reply)),
        Ok(Some(Message::Event(text))) => Some(text),
        Ok(None) => return Err(ApiError::Internal),
        Err(_) => Some(COMMENT),
    };
    let keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    let mut response = Response::new(Body::new(EventBody { first, messages, keep_alive, _task: task }));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies send each event on at once.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.extensions_mut().insert(NoCompression);
    Ok(response)
}

enum Message {
    /// An event, as text.
    Event(Bytes),
    /// The last event, before which nothing has happened, and the reply. The reply is the response, unless the response has
    /// begun.
    Only(Bytes, Reply),
}

/// Runs the call, and sends what happens.
async fn run<F: Future<Output = Reply>>(
    call: impl FnOnce(CallOptions) -> F,
    options: CallOptions,
    accepted: Accepted,
    sender: Sender<Message>,
) {
    let events = CallEvents::new(true, Some(LEAST));
    let options = events.observe(options);
    let calling = async {
        let reply = call(options).await;
        events.close();
        reply
    };
    let mut is_first = true;
    let sending = async {
        while let Some(event) = events.next().await {
            is_first = false;
            if let Some(text) = event_text(event)
                && sender.send(Message::Event(text)).await.is_err()
            {
                break;
            }
        }
    };
    let (reply, ()) = tokio::join!(calling, sending);
    let text = result_text(&reply).await;
    let is_refused =
        reply.result.as_ref().is_err_and(|failure| !matches!(failure.kind(), FailureKind::Failed(_)));
    let message = if is_first && (is_refused || accepted == Accepted::EventsOrJson) {
        Message::Only(text, reply)
    } else {
        Message::Event(text)
    };
    // The client may be gone.
    let _ = sender.send(message).await;
}

fn event_text(event: CallEvent) -> Option<Bytes> {
    let (name, data) = match event {
        CallEvent::Progress { done, total, message } => {
            let mut data = json!({"progress": done});
            if let Some(total) = total {
                data["total"] = total.into();
            }
            if !message.is_empty() {
                data["message"] = message.into();
            }
            ("progress", data)
        }
        CallEvent::Log { level, tool, data } => {
            ("log", json!({"level": level.as_str(), "tool": tool, "data": data}))
        }
        _ => return None,
    };
    Some(format!("event: {name}\ndata: {data}\n\n").into())
}

/// Returns the last event: the body that the call would have without events, with its status as the first member.
async fn result_text(reply: &Reply) -> Bytes {
    let response = response::call_response(reply);
    let status = response.status().as_u16();
    let body = body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let members = body.strip_prefix(b"{").unwrap_or(b"}");
    let mut text = format!("event: result\ndata: {{\"status\":{status},").into_bytes();
    text.extend_from_slice(members);
    text.extend_from_slice(b"\n\n");
    text.into()
}

/// Aborts a task when it is dropped.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The events of a call.
struct EventBody {
    first: Option<Bytes>,
    messages: Receiver<Message>,
    keep_alive: Interval,
    _task: AbortOnDrop,
}

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = |text| Poll::Ready(Some(Ok(Frame::data(text))));
        if let Some(first) = self.first.take() {
            return frame(first);
        }
        match self.messages.poll_recv(cx) {
            Poll::Ready(Some(Message::Event(text) | Message::Only(text, _))) => {
                self.keep_alive.reset();
                frame(text)
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(self.keep_alive.poll_tick(cx));
                frame(COMMENT)
            }
        }
    }
}
