//! A body that keeps something until it is handed over, and is otherwise what it was.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};

/// Passes on how long the body is: an answer whose length is not known is sent in chunks.
pub(super) struct Holding<T> {
    body: Body,
    _held: T,
}

impl<T> Holding<T>
where
    T: Send + Unpin + 'static,
{
    /// The value is dropped with the body, after its last byte was handed over or whoever asked has left.
    pub(super) fn body(body: Body, held: T) -> Body {
        Body::new(Holding { body, _held: held })
    }
}

impl<T: Unpin> http_body::Body for Holding<T> {
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
