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
        // The buffer of a connection grows with a large body, to about half a mebibyte by itself.
        http.max_headers(HEADERS).max_header_size(HEAD_BYTES).max_buf_size(HEAD_BYTES);
        http
    }

    pub(super) fn write_timeout(&self) -> Duration {
        self.write_timeout.min(NEVER)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use http_body_util::{BodyExt as _, Full};
    use hyper::body::Incoming;
    use hyper::service::service_fn;
    use hyper::{Request, Response};
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Returns the length of the longest part of a body in which it was received.
    async fn longest_part(mut request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let mut longest = 0;
        while let Some(frame) = request.body_mut().frame().await {
            longest = longest.max(frame.unwrap().into_data().unwrap().len());
        }
        Ok(Response::new(Full::new(longest.to_string().into())))
    }

    #[tokio::test]
    async fn bounds_the_buffer_of_a_connection() {
        let body = vec![b'a'; 4_000_000];
        // The client sends as much as the server takes at once.
        let (mut client, server) = tokio::io::duplex(body.len());
        let serve = Limits::default().http().serve_connection(TokioIo::new(server), service_fn(longest_part));
        let exchange = async {
            let head =
                format!("POST / HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            client.write_all(head.as_bytes()).await.unwrap();
            client.write_all(&body).await.unwrap();
            let mut response = String::new();
            client.read_to_string(&mut response).await.unwrap();
            response
        };
        let (response, served) = tokio::join!(exchange, serve);
        served.unwrap();
        let longest: usize = response.split_once("\r\n\r\n").unwrap().1.parse().unwrap();
        // A full buffer is given away, and what it still received with it.
        assert!(longest <= 2 * HEAD_BYTES, "{longest}");
    }
}
