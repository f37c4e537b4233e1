//! Requests whose body is not read before the response.

use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tool_serve::{Connections, Limits, TrackedBody};

/// Reads a response without a body.
fn read(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).unwrap() == 0 {
            break;
        }
        text.push(byte[0]);
    }
    String::from_utf8(text).unwrap()
}

/// Serves one connection, whose requests are refused unread.
fn refuse(client: impl FnOnce(TcpStream) + Send + 'static) {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = std::thread::spawn(move || client(TcpStream::connect(address).unwrap()));
        let service = tower::service_fn(|_: Request<TrackedBody>| async {
            let response = Response::builder().status(401).body(Full::new(Bytes::new())).unwrap();
            Ok::<_, Infallible>(response)
        });
        let mut connections = Connections::new(&Limits::default(), service, service);
        connections.serve(listener.accept().await.unwrap().0);
        connections.next_closed().await;
        client.join().unwrap();
    });
}

#[test]
fn keeps_the_connection_for_the_next_request() {
    refuse(|mut stream| {
        for _ in 0..3 {
            stream.write_all(b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n").unwrap();
            assert!(read(&mut stream).starts_with("HTTP/1.1 401 "));
            // Only now, as of a client that sends head and body in two packets.
            stream.write_all(b"hello").unwrap();
        }
    });
}

#[test]
fn closes_the_connection_of_a_body_that_is_large() {
    refuse(|mut stream| {
        stream
            .write_all(b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000000\r\n\r\n")
            .unwrap();
        assert!(read(&mut stream).starts_with("HTTP/1.1 401 "));
        let piece = vec![b'a'; 64 * 1024];
        let sent = (0..10_000).take_while(|_| stream.write_all(&piece).is_ok()).count();
        assert!(sent < 10_000, "everything was read");
    });
}

/// Notifies when it is dropped.
struct DropNotifier(Arc<Notify>);

impl Drop for DropNotifier {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// A handler may keep the whole request, with its empty body, while it waits.
#[tokio::test]
async fn cancels_a_request_without_a_body_that_nobody_reads() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (begun, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (at_begin, at_drop) = (Arc::clone(&begun), Arc::clone(&dropped));
    let service = tower::service_fn(move |request: Request<TrackedBody>| {
        let (begun, guard) = (Arc::clone(&at_begin), DropNotifier(Arc::clone(&at_drop)));
        async move {
            let _kept = (request, guard);
            begun.notify_one();
            std::future::pending::<Result<Response<Full<Bytes>>, Infallible>>().await
        }
    });
    let mut connections = Connections::new(&Limits::default(), service.clone(), service);
    connections.serve(listener.accept().await.unwrap().0);
    stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    begun.notified().await;
    drop(stream);
    let canceled = tokio::time::timeout(Duration::from_secs(60), dropped.notified()).await;
    assert!(canceled.is_ok(), "the request still waits");
}
