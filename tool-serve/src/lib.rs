//! Connections of an HTTP/1 server, for the adapters that listen. Not for applications: the API may change in any version.
//!
//! A client that closes only its sending side still gets its response. A disconnected client is detected, so that its call can
//! be canceled.
//!
//! ```
//! # use std::convert::Infallible;
//! # use std::io::{Read, Write};
//! # use std::net::{Shutdown, TcpStream};
//! # use std::time::Duration;
//! # use bytes::Bytes;
//! # use http::{Request, Response};
//! # use http_body_util::Full;
//! # use tokio::net::TcpListener;
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! use tool_serve::{Connections, Settings, TrackedBody};
//!
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! let address = listener.local_addr()?;
//! let client = std::thread::spawn(move || {
//!     let mut stream = TcpStream::connect(address)?;
//!     stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
//!     stream.shutdown(Shutdown::Write)?;
//!     let mut answer = String::new();
//!     stream.read_to_string(&mut answer).map(|_| answer)
//! });
//!
//! let service = tower::service_fn(|_: Request<TrackedBody>| async {
//!     Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("hello"))))
//! });
//! let mut connections = Connections::default();
//! let (stream, _) = listener.accept().await?;
//! connections.serve(stream, &Settings::default(), service, ());
//! connections.next_closed().await;
//! assert!(client.join().unwrap()?.ends_with("hello"));
//! assert_eq!(connections.drain(Duration::from_secs(1), async {}).await, 0);
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod response_body;
mod socket;
mod tracked_body;

use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::task::{AbortHandle, JoinSet};
use tokio_io_timeout::TimeoutStream;

use crate::socket::Socket;
pub use crate::tracked_body::TrackedBody;

/// The open connections.
#[derive(Default)]
pub struct Connections {
    open: JoinSet<()>,
    graceful: GracefulShutdown,
}

/// Settings of a connection.
#[derive(Clone)]
pub struct Settings {
    /// Settings of the HTTP/1 protocol.
    pub http: http1::Builder,
    /// How long a client may read nothing of its response.
    pub write_timeout: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        let mut http = http1::Builder::new();
        // `Peer` detects whether a client that sends no more has disconnected.
        http.timer(TokioTimer::new()).header_read_timeout(None).half_close(true);
        Settings { http, write_timeout: None }
    }
}

impl Connections {
    /// Serves a connection. A request is canceled when its client disconnects. `guard` is dropped when the connection ends.
    pub fn serve<S, B>(
        &mut self,
        stream: TcpStream,
        settings: &Settings,
        service: S,
        guard: impl Send + 'static,
    ) -> AbortHandle
    where
        TowerToHyperService<S>: Service<Request<TrackedBody>, Response = Response<B>, Error = Infallible>,
        <TowerToHyperService<S> as Service<Request<TrackedBody>>>::Future: Send,
        S: Send + 'static,
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
    {
        // Otherwise a response in several pieces waits for the client's delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot disable Nagle's algorithm");
        }
        let (socket, peer) = Socket::new(stream);
        let mut stream = TimeoutStream::new(socket);
        // Reads have their own limits, for the head, the body and the request.
        stream.set_write_timeout(settings.write_timeout);
        let service = TowerToHyperService::new(service);
        let service = service_fn(move |request| {
            let (request, read) = TrackedBody::request(request);
            tracked_body::respond_while_connected(service.call(request), read, peer.clone())
        });
        let connection = settings.http.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = self.graceful.watch(connection);
        self.open.spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection failed");
            }
            drop(guard);
        })
    }

    /// Waits until a connection is closed; forever if none is open.
    pub async fn next_closed(&mut self) {
        if self.open.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Closes idle connections, waits for the others and then for `idle`, up to a deadline. Returns the number of connections
    /// that are still open.
    pub async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        let Connections { graceful, open } = self;
        let drained = tokio::time::timeout(deadline, async {
            graceful.shutdown().await;
            idle.await;
        });
        // A call may still run without a connection.
        if drained.await.is_err() { open.len().max(1) } else { 0 }
    }
}
