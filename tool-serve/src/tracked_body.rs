//! An answer, as long as its client waits for it.

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

/// Waits for an answer, as long as the client does. Once it has left, the answer is dropped: a call that modifies nothing is
/// canceled with it.
///
/// # Errors
///
/// When the client has left.
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

/// The body of a request, which tells when it was read.
///
/// As long as it was not, hyper finds out by itself that the client sends no more.
#[derive(Debug)]
pub struct TrackedBody {
    body: Incoming,
    /// Dropped with the body.
    _unread: Option<oneshot::Sender<Infallible>>,
}

impl TrackedBody {
    /// The request with a body that is tracked, and what is closed once it was read.
    pub(super) fn request(request: Request<Incoming>) -> (Request<Self>, oneshot::Receiver<Infallible>) {
        let (unread, read) = oneshot::channel();
        // One that is empty may be kept by its handler as long as it likes.
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
