//! Request bodies that report when they were read, and responses that stop when the client disconnects.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::response_body::ResponseBody;
use crate::socket::Peer;

/// Waits for a response until the client disconnects. Then the future is dropped, which cancels a read-only call.
///
/// # Errors
///
/// Returns an error if the client has disconnected.
pub(super) async fn respond_while_connected<B>(
    response: impl Future<Output = Result<Response<B>, Infallible>>,
    body_read: oneshot::Receiver<Infallible>,
    peer: Arc<Peer>,
) -> io::Result<Response<ResponseBody<B>>> {
    let disconnected = async {
        let _ = body_read.await;
        peer.disconnected().await;
    };
    tokio::select! {
        biased;
        Ok(response) = response => Ok(ResponseBody::response(response, Arc::clone(&peer))),
        () = disconnected => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

/// The longest time and the most bytes that are read of a body that its service has not read.
const DISCARDED: (Duration, usize) = (Duration::from_secs(5), 4 * 1024 * 1024);

/// A request body that reports when it was read.
///
/// Until then, hyper detects by itself that the client sends no more.
///
/// A service may respond without reading it, for example to a request without credentials. The rest is then read and discarded, if
/// it is small: otherwise the connection would be closed, and a client that is still sending might lose the response.
#[derive(Debug)]
pub struct TrackedBody(Option<Unread>);

#[derive(Debug)]
struct Unread {
    body: Incoming,
    /// Dropped with the body.
    _unread: Option<oneshot::Sender<Infallible>>,
}

impl TrackedBody {
    /// Wraps the body of a request. The receiver is closed when the body was read.
    pub(super) fn request(request: Request<Incoming>) -> (Request<Self>, oneshot::Receiver<Infallible>) {
        let (unread, read) = oneshot::channel();
        // A handler may keep an empty body.
        let unread = (!request.body().is_end_stream()).then_some(unread);
        (request.map(|body| TrackedBody(Some(Unread { body, _unread: unread }))), read)
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        let unread = self.0.take().filter(|unread| !unread.body.is_end_stream());
        if let (Some(unread), Ok(runtime)) = (unread, Handle::try_current()) {
            runtime.spawn(timeout(DISCARDED.0, unread.discard()));
        }
    }
}

impl Unread {
    async fn discard(mut self) {
        let mut left = DISCARDED.1;
        while let Some(Ok(frame)) = self.body.frame().await {
            let Some(less) = left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) else { break };
            left = less;
        }
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Some(unread) => Pin::new(&mut unread.body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(|unread| unread.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(SizeHint::default, |unread| unread.body.size_hint())
    }
}
