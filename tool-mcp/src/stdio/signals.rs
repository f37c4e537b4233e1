//! The signals that ask a process to end.
//!
//! Those of tokio would make every runtime allocate memory for signals when it starts.

use std::io;

/// Receives SIGINT and SIGTERM, or Ctrl-C on Windows, until it is dropped.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    stream: tokio::net::UnixStream,
    #[cfg(unix)]
    registered: Vec<signal_hook::SigId>,
    #[cfg(windows)]
    events: tokio::signal::windows::CtrlC,
}

#[cfg(unix)]
impl Signals {
    /// Listens from now on: before, a signal ends the process at once.
    pub(super) fn listen() -> io::Result<Self> {
        use signal_hook::consts::{SIGINT, SIGTERM};

        let (stream, handler) = std::os::unix::net::UnixStream::pair()?;
        stream.set_nonblocking(true)?;
        let mut signals =
            Signals { stream: tokio::net::UnixStream::from_std(stream)?, registered: Vec::new() };
        for signal in [SIGINT, SIGTERM] {
            let id = signal_hook::low_level::pipe::register(signal, handler.try_clone()?)?;
            signals.registered.push(id);
        }
        Ok(signals)
    }

    /// Waits for a signal.
    pub(super) async fn received(mut self) {
        use tokio::io::AsyncReadExt as _;

        if let Err(error) = self.stream.read_u8().await {
            tracing::error!(%error, "cannot listen for signals");
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

#[cfg(windows)]
impl Signals {
    /// Listens from now on: before, Ctrl-C ends the process at once.
    pub(super) fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(|events| Signals { events })
    }

    /// Waits for Ctrl-C.
    pub(super) async fn received(mut self) {
        self.events.recv().await;
    }
}
