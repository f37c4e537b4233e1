//! Accepts connections, also when the process has no more file descriptors.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// The pause after a failure, which retrying at once would turn into a busy loop.
const PAUSE: Duration = Duration::from_millis(100);

/// The time between two lines of the log about failures.
const BETWEEN_LOGS: Duration = Duration::from_secs(60);

/// A listener that retries when the system accepts no connection.
///
/// The usual reason is that the process has reached its limit of open files. Clients wait meanwhile, and are accepted once other
/// connections are closed. It is logged at most once a minute.
///
/// ```
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// use tool_serve::Acceptor;
/// use tokio::net::{TcpListener, TcpStream};
///
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let address = listener.local_addr()?;
/// let mut acceptor = Acceptor::new(listener);
/// let (accepted, connected) = tokio::join!(acceptor.accept(), TcpStream::connect(address));
/// assert_eq!(accepted.peer_addr()?, connected?.local_addr()?);
/// # Ok::<(), std::io::Error>(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Acceptor {
    listener: TcpListener,
    /// When a failure was logged last.
    logged: Option<Instant>,
}

impl Acceptor {
    /// Wraps a listener.
    pub fn new(listener: TcpListener) -> Self {
        Acceptor { listener, logged: None }
    }

    /// Waits for the next connection. No connection is lost if the future is dropped.
    pub async fn accept(&mut self) -> TcpStream {
        loop {
            let accepted = self.listener.accept().await;
            if let Some(stream) = self.accepted(accepted) {
                return stream;
            }
            sleep(PAUSE).await;
        }
    }

    /// Returns the connection, or logs why there is none.
    fn accepted(&mut self, accepted: io::Result<(TcpStream, SocketAddr)>) -> Option<TcpStream> {
        match accepted {
            Ok((stream, _)) => return Some(stream),
            // The client is already gone.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) if self.logged.is_some_and(|logged| logged.elapsed() < BETWEEN_LOGS) => {
                tracing::debug!(%error, "still cannot accept connections");
            }
            Err(error) => {
                self.logged = Some(Instant::now());
                tracing::warn!(
                    %error,
                    "cannot accept connections, and tries again: raise the limit of open files, or lower `max_connections`"
                );
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn logs_failures_once_a_minute() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut acceptor = Acceptor::new(listener);
        let mut fail = |kind: io::ErrorKind| {
            assert!(acceptor.accepted(Err(kind.into())).is_none());
            acceptor.logged
        };
        assert_eq!(fail(io::ErrorKind::ConnectionAborted), None);
        let first = fail(io::ErrorKind::Other);
        assert_eq!(first, Some(Instant::now()));
        tokio::time::advance(BETWEEN_LOGS - PAUSE).await;
        assert_eq!(fail(io::ErrorKind::Other), first);
        tokio::time::advance(PAUSE).await;
        assert_eq!(fail(io::ErrorKind::Other), Some(Instant::now()));
    }
}
