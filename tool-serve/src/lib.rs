//! Connections of an HTTP/1 server, for the adapters that listen. Not for applications: the API may change in any version.
//!
//! The [`Limits`] are those of both servers: their options have these names and defaults. A connection over the limit is served by
//! another service, which says so.
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
//! use tool_serve::{Acceptor, Connections, Limits, TrackedBody};
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
//! let mut connections = Connections::new(&Limits::default(), service, service);
//! connections.serve(Acceptor::new(listener).accept().await);
//! connections.next_closed().await;
//! assert!(client.join().unwrap()?.ends_with("hello"));
//! assert_eq!(connections.drain(Duration::from_secs(1), async {}).await, 0);
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod acceptor;
mod body_memory;
mod connections;
mod duration_histogram;
mod limits;
mod public_document;
mod request_body;
mod response_body;
mod socket;
mod tracked_body;

pub use acceptor::Acceptor;
pub use body_memory::BODY_MEMORY;
pub use connections::Connections;
pub use duration_histogram::DurationHistogram;
pub use limits::Limits;
pub use public_document::public_document;
pub use request_body::{BODY_TIMEOUT, BodyError, read_body};
pub use tracked_body::TrackedBody;
