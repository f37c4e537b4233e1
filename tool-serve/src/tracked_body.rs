//! Request bodies that report when they were read, and responses that stop when the client disconnects.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::sync::oneshot;

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

/// A request body that reports when it was read.
///
/// Until then, hyper detects by itself that the client sends no more.
#[derive(Debug)]
pub struct TrackedBody {
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
        (request.map(|body| TrackedBody { body, _unread: unread }), read)
    }
}

impl Body for TrackedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
