//! The bodies of responses: a text in pieces, or a stream of events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Interval, interval_at};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::AbortOnDropHandle;

use crate::http::stream::Stream;

/// How often a stream without events sends a comment, so that proxies do not close it.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of a response.
pub(super) enum ResponseBody {
    /// Several texts, which are not joined.
    Pieces([Bytes; 3]),
    Events(Box<EventBody>),
    Other(Body),
}

/// Returns a response without a body.
pub(super) fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Pieces(Default::default()));
    *response.status_mut() = status;
    response
}

/// Returns a response in JSON.
pub(super) fn json(status: StatusCode, pieces: [Bytes; 3]) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Pieces(pieces));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a response that is a stream of events.
pub(super) fn events(body: EventBody) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Events(Box::new(body)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match &mut *self {
            ResponseBody::Pieces(pieces) => {
                let piece = pieces.iter_mut().find(|piece| !piece.is_empty()).map(std::mem::take);
                Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
            }
            ResponseBody::Events(events) => {
                events.poll_next(cx).map(|event| event.map(|event| Ok(Frame::data(event))))
            }
            ResponseBody::Other(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            ResponseBody::Pieces(pieces) => pieces.iter().all(Bytes::is_empty),
            ResponseBody::Events(_) => false,
            ResponseBody::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ResponseBody::Pieces(pieces) => {
                SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum())
            }
            ResponseBody::Events(_) => SizeHint::default(),
            ResponseBody::Other(body) => body.size_hint(),
        }
    }
}

/// The events of a stream, from the attachment of its reader on.
pub(super) struct EventBody {
    /// The stream and the number of its reader; `None` for a body that only stays open.
    source: Option<(Arc<Stream>, u64)>,
    /// A call that is dropped with the body.
    _call: Option<AbortOnDropHandle<()>>,
    keep_alive: Interval,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl EventBody {
    pub(super) fn new(source: Option<(Arc<Stream>, u64)>, stop: &CancellationToken) -> Self {
        let keep_alive = interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
        EventBody { source, _call: None, keep_alive, stop: Box::pin(stop.clone().cancelled_owned()) }
    }

    /// Runs a call in a task until the body is dropped, independent of how fast the client reads.
    pub(super) fn running(mut self, call: impl Future<Output = ()> + Send + 'static) -> Self {
        self._call = Some(AbortOnDropHandle::new(tokio::spawn(call)));
        self
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.stop.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        let event = match &self.source {
            Some((stream, reader)) => stream.poll_next(*reader, cx),
            None => Poll::Pending,
        };
        if let Poll::Ready(event) = event {
            self.keep_alive.reset();
            return Poll::Ready(event);
        }
        self.keep_alive.poll_tick(cx).map(|_| Some(Bytes::from_static(b":\n\n")))
    }
}

impl Drop for EventBody {
    fn drop(&mut self) {
        if let Some((stream, reader)) = self.source.take() {
            stream.detach(reader);
        }
    }
}

/// A body that keeps a value until it is sent or the client leaves. It passes on its length, or the body would be chunked.
struct GuardedBody<T> {
    body: ResponseBody,
    _guard: T,
}

/// Returns a body that drops `guard` once it is sent or the client leaves.
pub(super) fn guarded<T: Send + Unpin + 'static>(body: ResponseBody, guard: T) -> Body {
    Body::new(GuardedBody { body, _guard: guard })
}

impl<T: Unpin> http_body::Body for GuardedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
