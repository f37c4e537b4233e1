//! The socket of a connection, and whether its client still waits for an answer.

use std::cmp::min;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::sleep;

/// What every answer of HTTP/1 begins with, whatever its minor version and its status are.
const STATUS_LINE_PREFIX: &[u8] = b"HTTP/1.";

/// The pauses before the first byte is sent ahead, and before the second one; each later one is twice as long. An answer that
/// is there sooner is sent in one piece.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(25);
pub(super) const LATER_PAUSE: Duration = Duration::from_secs(1);

/// A stream as hyper reads and writes it.
pub(super) struct Socket {
    peer: Arc<Peer>,
    write: OwnedWriteHalf,
}

/// The client's end of a connection.
pub(super) struct Peer {
    read: OwnedReadHalf,
    /// Whether everything was written that there was to write: the next byte is the first one of an answer.
    flushed: AtomicBool,
    /// How many bytes of the next answer were sent before there was one.
    ahead: AtomicUsize,
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> (Self, Arc<Peer>) {
        let (read, write) = stream.into_split();
        let peer = Arc::new(Peer { read, flushed: AtomicBool::new(true), ahead: AtomicUsize::new(0) });
        (Socket { peer: Arc::clone(&peer), write }, peer)
    }

    /// Takes from what is written as much as was sent ahead.
    fn skip_sent(&self, buf: &[u8]) -> usize {
        self.peer.flushed.store(false, Relaxed);
        let ahead = self.peer.ahead.load(Relaxed);
        let sent = min(ahead, buf.len());
        self.peer.ahead.store(ahead - sent, Relaxed);
        sent
    }
}

impl Peer {
    /// Waits until the client has left, for a request that was read to its end and is not answered yet.
    ///
    /// A client that has closed its sending side may wait for the answer (`nc -N` does), or may be gone. TCP shows the
    /// difference only when something is sent: the system of a client that is gone resets the connection. What can be sent
    /// before the answer is known are the bytes that each one begins with, one at a time.
    pub(super) async fn disconnected(&self) {
        if !self.read_closed().await {
            return;
        }
        let mut pause = FIRST_PAUSE;
        while self.ahead.load(Relaxed) < STATUS_LINE_PREFIX.len() {
            tokio::select! {
                () = self.broken() => return,
                () = sleep(pause) => {}
            }
            if self.send_ahead().is_err() {
                return;
            }
            pause = (pause * 2).max(LATER_PAUSE);
        }
        self.broken().await;
    }

    /// Waits until the client has closed its sending side. Returns `false` if it has left instead.
    pub(super) async fn read_closed(&self) -> bool {
        match self.stream().peek(&mut [0]).await {
            Ok(0) => true,
            // The next request: whoever sends more is there, until the connection breaks.
            Ok(_) => {
                self.broken().await;
                false
            }
            Err(_) => false,
        }
    }

    /// Waits until the connection is broken.
    pub(super) async fn broken(&self) {
        // Whether it is ready or cannot be waited for, nobody waits at the other end.
        let _ = self.stream().ready(Interest::ERROR).await;
    }

    fn stream(&self) -> &TcpStream {
        self.read.as_ref()
    }

    fn send_ahead(&self) -> io::Result<()> {
        if !self.flushed.load(Relaxed) {
            // An earlier answer is on its way, and shows as well as this whether anybody takes it.
            return Ok(());
        }
        let ahead = self.ahead.load(Relaxed);
        match self.stream().try_write(&STATUS_LINE_PREFIX[ahead..=ahead]) {
            Ok(sent) => self.ahead.store(ahead + sent, Relaxed),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let stream = self.peer.stream();
        loop {
            ready!(stream.poll_read_ready(cx))?;
            match stream.try_read_buf(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read.map(drop)),
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.skip_sent(buf) {
            0 => Pin::new(&mut self.write).poll_write(cx, buf),
            sent => Poll::Ready(Ok(sent)),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = bufs.iter().find(|buf| !buf.is_empty()).map_or(&[][..], |buf| buf);
        match self.skip_sent(first) {
            0 => Pin::new(&mut self.write).poll_write_vectored(cx, bufs),
            sent => Poll::Ready(Ok(sent)),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.write.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.peer.flushed.store(true, Relaxed);
        Pin::new(&mut self.write).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(cx)
    }
}
