//! The limits of connections.

use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;

/// The maximum size of a head in bytes; more is 431. A target over 64 KiB is 414.
const HEAD_BYTES: usize = 128 * 1024;
const HEADERS: usize = 100;

/// A time limit that is not reached. No clock counts further than [`Duration::MAX`].
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The limits of the connections of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The time limit for the head of a request, and for idle connections; by default 10 seconds.
    pub header_timeout: Duration,
    /// How long a client may read nothing of its response, or acknowledge nothing; by default 30 seconds.
    pub write_timeout: Duration,
    /// The maximum number of connections; by default 512.
    pub max_connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            max_connections: 512,
        }
    }
}

impl Limits {
    /// Returns the settings of HTTP/1.
    pub(super) fn http(&self) -> http1::Builder {
        let mut http = http1::Builder::new();
        // `Peer` detects whether a client that sends no more has disconnected.
        http.timer(TokioTimer::new()).half_close(true);
        http.header_read_timeout(self.header_timeout.min(NEVER));
        http.max_headers(HEADERS).max_header_size(HEAD_BYTES);
        http
    }

    pub(super) fn write_timeout(&self) -> Duration {
        self.write_timeout.min(NEVER)
    }
}
