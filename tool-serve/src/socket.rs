//! The socket of a connection, and the detection of disconnected clients.

use std::cmp::min;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::sleep;

/// The first bytes of every HTTP/1 response.
const STATUS_LINE_PREFIX: &[u8] = b"HTTP/1.";

/// The pauses before the first and the second byte are sent ahead; each later pause is twice as long. A faster response is sent
/// in one piece.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(25);
pub(super) const LATER_PAUSE: Duration = Duration::from_secs(1);

/// The longest time that a client may leave data or probes unacknowledged; the usual default of systems.
const MOST_UNANSWERED: Duration = Duration::from_secs(2 * 60 * 60);

/// A stream that hyper reads from and writes to.
pub(super) struct Socket {
    peer: Arc<Peer>,
    write: OwnedWriteHalf,
}

/// The client's end of a connection.
pub(super) struct Peer {
    read: OwnedReadHalf,
    /// Whether all data was written, so that the next byte begins a response.
    flushed: AtomicBool,
    /// The number of bytes of the next response that were sent ahead.
    ahead: AtomicUsize,
}

/// Sets the options of the socket of a connection. A client that is gone without closing the connection, since its machine or its
/// network failed, is noticed by TCP within about twice `limit`: if data is not acknowledged, or if it does not answer probes.
pub(super) fn configure(stream: &TcpStream, limit: Duration) -> io::Result<()> {
    // Otherwise a response in several pieces waits for the client's delayed acknowledgement.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    // Systems count whole seconds.
    let limit = limit.clamp(Duration::from_secs(1), MOST_UNANSWERED);
    let probes = TcpKeepalive::new().with_time(limit);
    #[cfg(any(target_os = "android", target_os = "linux", target_os = "macos", windows))]
    let probes = probes.with_interval(limit);
    socket.set_tcp_keepalive(&probes)?;
    #[cfg(any(target_os = "android", target_os = "linux"))]
    socket.set_tcp_user_timeout(Some(limit))?;
    Ok(())
}

impl Socket {
    pub(super) fn new(stream: TcpStream) -> (Self, Arc<Peer>) {
        let (read, write) = stream.into_split();
        let peer = Arc::new(Peer { read, flushed: AtomicBool::new(true), ahead: AtomicUsize::new(0) });
        (Socket { peer: Arc::clone(&peer), write }, peer)
    }

    /// Skips the bytes of `buf` that were already sent ahead, and returns their number.
    fn skip_sent(&self, buf: &[u8]) -> usize {
        self.peer.flushed.store(false, Relaxed);
        let ahead = self.peer.ahead.load(Relaxed);
        let sent = min(ahead, buf.len());
        self.peer.ahead.store(ahead - sent, Relaxed);
        sent
    }
}

impl Peer {
    /// Waits until the client disconnects, while a request that was read completely has no response yet.
    ///
    /// A client that has closed its sending side may still wait for the response (`nc -N` does), or may be gone. TCP shows the
    /// difference only when data is sent: the system of a client that is gone resets the connection. Before the response is
    /// known, only the bytes that begin every response can be sent, one at a time.
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

    /// Waits until the client closes its sending side. Returns `false` if it disconnects instead.
    pub(super) async fn read_closed(&self) -> bool {
        match self.stream().peek(&mut [0]).await {
            Ok(0) => true,
            // The next request: the client is connected until the connection breaks.
            Ok(_) => {
                self.broken().await;
                false
            }
            Err(_) => false,
        }
    }

    /// Waits until the connection is broken.
    pub(super) async fn broken(&self) {
        // In both cases, nobody waits at the other end.
        let _ = self.stream().ready(Interest::ERROR).await;
    }

    fn stream(&self) -> &TcpStream {
        self.read.as_ref()
    }

    fn send_ahead(&self) -> io::Result<()> {
        if !self.flushed.load(Relaxed) {
            // An earlier response is being written, which also shows whether the client reads.
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
