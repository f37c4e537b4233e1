//! The body of an answer. One that is a stream of events also finds out whether its client has left.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Response, header};
use http_body::{Body, Frame, SizeHint};
use tokio::time::sleep;

use crate::socket::{FIRST, Peer, SECOND};

/// A comment, which is no event.
const COMMENT: &[u8] = b":\n\n";

/// The body of an answer, which ends when its client has left.
pub(super) struct Answered<B> {
    body: B,
    departure: Option<Departure>,
}

/// Looks whether the client of a stream of events has left.
///
/// As long as there are no events, nothing is sent that would show it: a client that has closed its sending side is sent
/// comments, at pauses that grow.
struct Departure {
    peer: Arc<Peer>,
    pause: Duration,
    looking: Pin<Box<dyn Future<Output = bool> + Send>>,
    /// What was sent so far ends with an event.
    is_between_events: bool,
}

impl<B> Answered<B> {
    pub(super) fn response(response: Response<B>, peer: Arc<Peer>) -> Response<Self> {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let departure = is_stream.then(|| Departure::of(peer));
        response.map(|body| Answered { body, departure })
    }
}

impl Departure {
    fn of(peer: Arc<Peer>) -> Self {
        let looking = Box::pin(look(Arc::clone(&peer), FIRST));
        Departure { peer, pause: FIRST, looking, is_between_events: true }
    }

    /// Is ready with a comment to send, and with an error once the client has left.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<&'static [u8]>> {
        while let Poll::Ready(has_left) = self.looking.as_mut().poll(cx) {
            if has_left {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
            self.pause = (self.pause * 2).max(SECOND);
            self.looking = Box::pin(look(Arc::clone(&self.peer), self.pause));
            if self.is_between_events {
                return Poll::Ready(Ok(COMMENT));
            }
        }
        Poll::Pending
    }
}

/// Waits until the client has left, or for this time after it has closed its sending side. Returns `true` if it has left.
async fn look(peer: Arc<Peer>, pause: Duration) -> bool {
    if !peer.sends_no_more().await {
        return true;
    }
    tokio::select! {
        biased;
        () = peer.breaks() => true,
        () = sleep(pause) => false,
    }
}

impl<B> Body for Answered<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Answered { body, departure } = &mut *self;
        let polled = Pin::new(body).poll_frame(cx).map_err(Into::into);
        let Some(departure) = departure else { return polled };
        match &polled {
            Poll::Pending => {
                let looked = departure.poll(cx).map_err(Into::into);
                looked.map_ok(|comment| Frame::data(Bytes::from_static(comment))).map(Some)
            }
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    departure.is_between_events = data.ends_with(b"\n\n");
                }
                polled
            }
            Poll::Ready(_) => polled,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
