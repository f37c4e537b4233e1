//! The connections of a server of HTTP/1, for the adapters that have one. Not for applications: nothing here keeps its name or its
//! shape between versions.
//!
//! A client that closes only its sending side is answered; one that has left is noticed, so that its call can be canceled.
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

/// The connections that are open.
#[derive(Default)]
pub struct Connections {
    open: JoinSet<()>,
    graceful: GracefulShutdown,
}

/// How a connection is served.
#[derive(Clone)]
pub struct Settings {
    /// How HTTP itself is read.
    pub http: http1::Builder,
    /// How long a client may take nothing of what is sent.
    pub write_timeout: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        let mut http = http1::Builder::new();
        // Whether a client that sends no more has left is for `Peer` to find out.
        http.timer(TokioTimer::new()).header_read_timeout(None).half_close(true);
        Settings { http, write_timeout: None }
    }
}

impl Connections {
    /// Serves a connection. An answer is made as long as its client waits for it; `guard` is kept until the connection ends.
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
        // Without it, an answer in several pieces waits for the client's delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        let (socket, peer) = Socket::new(stream);
        let mut stream = TimeoutStream::new(socket);
        // Reading has limits of its own: for the head, the body, and all of a request.
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
                tracing::debug!(%error, "a connection broke");
            }
            drop(guard);
        })
    }

    /// Waits until one has ended.
    pub async fn next_closed(&mut self) {
        if self.open.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Ends the connections that are idle and waits for the others, and then for `idle`, up to a deadline; returns how many
    /// connections are open then.
    pub async fn drain(self, deadline: Duration, idle: impl Future<Output = ()>) -> usize {
        let Connections { graceful, open } = self;
        let drained = tokio::time::timeout(deadline, async {
            graceful.shutdown().await;
            idle.await;
        });
        // A call may be on its way without any connection.
        if drained.await.is_err() { open.len().max(1) } else { 0 }
    }
}
