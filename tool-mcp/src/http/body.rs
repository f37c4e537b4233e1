//! The bodies of responses: a text in pieces, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, Interval, interval_at};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::AbortOnDropHandle;

use crate::http::stream::Stream;

/// How often a stream without events sends a comment, so that proxies do not close it.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Returns a response in JSON.
pub(super) fn json(status: StatusCode, pieces: [Bytes; 3]) -> Response {
    let mut response = Response::new(Body::new(Pieces(pieces)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a response that is a stream of events.
pub(super) fn events(body: EventBody) -> Response {
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// A body of several texts, which are not joined.
struct Pieces([Bytes; 3]);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
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
}

impl http_body::Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.stop.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        let event = match &self.source {
            Some((stream, reader)) => stream.poll_next(*reader, cx),
            None => Poll::Pending,
        };
        if let Poll::Ready(event) = event {
            self.keep_alive.reset();
            return Poll::Ready(event.map(|event| Ok(Frame::data(event))));
        }
        self.keep_alive.poll_tick(cx).map(|_| Some(Ok(Frame::data(Bytes::from_static(b":\n\n")))))
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
    body: Body,
    _guard: T,
}

/// Returns a body that drops `guard` once it is sent or the client leaves.
pub(super) fn guarded<T: Send + Unpin + 'static>(body: Body, guard: T) -> Body {
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
