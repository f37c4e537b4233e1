//! Response bodies. The body of an event stream also detects whether its client has disconnected.

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

use crate::socket::{FIRST_PAUSE, LATER_PAUSE, Peer};

/// A comment of an event stream, which clients ignore.
const COMMENT: &[u8] = b":\n\n";

/// A response body that ends when its client disconnects.
pub(super) struct ResponseBody<B> {
    body: B,
    probe: Option<DisconnectProbe>,
}

/// Checks whether the client of an event stream has disconnected.
///
/// Without events, nothing is sent that would show it. A client that has closed its sending side is therefore sent comments,
/// at growing intervals.
struct DisconnectProbe {
    peer: Arc<Peer>,
    pause: Duration,
    pending_probe: Pin<Box<dyn Future<Output = bool> + Send>>,
    /// Whether the last data that was sent ends an event.
    is_between_events: bool,
}

impl<B> ResponseBody<B> {
    pub(super) fn response(response: Response<B>, peer: Arc<Peer>) -> Response<Self> {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let probe = is_stream.then(|| DisconnectProbe::of(peer));
        response.map(|body| ResponseBody { body, probe })
    }
}

impl DisconnectProbe {
    fn of(peer: Arc<Peer>) -> Self {
        let pending_probe = Box::pin(probe_once(Arc::clone(&peer), FIRST_PAUSE));
        DisconnectProbe { peer, pause: FIRST_PAUSE, pending_probe, is_between_events: true }
    }

    /// Returns a comment to send, or an error after the client has disconnected.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<&'static [u8]>> {
        while let Poll::Ready(is_disconnected) = self.pending_probe.as_mut().poll(cx) {
            if is_disconnected {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
            self.pause = (self.pause * 2).max(LATER_PAUSE);
            self.pending_probe = Box::pin(probe_once(Arc::clone(&self.peer), self.pause));
            if self.is_between_events {
                return Poll::Ready(Ok(COMMENT));
            }
        }
        Poll::Pending
    }
}

/// Waits until the client disconnects, or for `pause` after it has closed its sending side. Returns `true` if it has
/// disconnected.
async fn probe_once(peer: Arc<Peer>, pause: Duration) -> bool {
    if !peer.read_closed().await {
        return true;
    }
    tokio::select! {
        biased;
        () = peer.broken() => true,
        () = sleep(pause) => false,
    }
}

impl<B> Body for ResponseBody<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let ResponseBody { body, probe } = &mut *self;
        let polled = Pin::new(body).poll_frame(cx).map_err(Into::into);
        let Some(probe) = probe else { return polled };
        match &polled {
            Poll::Pending => {
                let probed = probe.poll(cx).map_err(Into::into);
                probed.map_ok(|comment| Frame::data(Bytes::from_static(comment))).map(Some)
            }
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    probe.is_between_events = data.ends_with(b"\n\n");
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
