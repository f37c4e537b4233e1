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

use crate::answered::Answered;
use crate::socket::Peer;

/// Waits for an answer, as long as the client does. Once it has left, the answer is dropped: a call that modifies nothing is
/// canceled with it.
///
/// # Errors
///
/// When the client has left.
pub(super) async fn answer<B>(
    answer: impl Future<Output = Result<Response<B>, Infallible>>,
    read: oneshot::Receiver<Infallible>,
    peer: Arc<Peer>,
) -> io::Result<Response<Answered<B>>> {
    let departed = async {
        let _ = read.await;
        peer.departed().await;
    };
    tokio::select! {
        biased;
        Ok(response) = answer => Ok(Answered::response(response, Arc::clone(&peer))),
        () = departed => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

/// The body of a request, which tells when it was read.
///
/// As long as it was not, hyper finds out by itself that the client sends no more.
#[derive(Debug)]
pub struct Tracked {
    body: Incoming,
    /// Dropped with the body.
    _unread: Option<oneshot::Sender<Infallible>>,
}

impl Tracked {
    /// The request with a body that is tracked, and what is closed once it was read.
    pub(super) fn request(request: Request<Incoming>) -> (Request<Self>, oneshot::Receiver<Infallible>) {
        let (unread, read) = oneshot::channel();
        // One that is empty may be kept by its handler as long as it likes.
        let unread = (!request.body().is_end_stream()).then_some(unread);
        (request.map(|body| Tracked { body, _unread: unread }), read)
    }
}

impl Body for Tracked {
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
