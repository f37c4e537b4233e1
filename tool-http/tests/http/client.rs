//! A client that sends and receives raw bytes.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tower::ServiceExt as _;

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    /// Returns the value of a header, or an empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(header, _)| header == name).map_or("", |(_, value)| value)
    }

    /// Returns all values of a header.
    pub(crate) fn all(&self, name: &str) -> String {
        let values = self.headers.iter().filter(|(header, _)| header == name);
        values.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Returns the body with the call ID replaced by `…`.
    pub(crate) fn masked(&self) -> String {
        match self.body.split_once(r#""callId":""#) {
            Some((before, rest)) => {
                let (id, after) = rest.split_at(16);
                assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{}", self.body);
                format!(r#"{before}"callId":"…{after}"#)
            }
            None => self.body.clone(),
        }
    }

    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head of an answer");
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        let body = String::from_utf8(bytes[end + 4..].to_vec()).unwrap();
        Answer { status, headers: lines.map(header).collect(), body }
    }
}

/// Sends a request to a router, without a socket.
pub(crate) async fn send_to(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        (name.to_string(), value.to_str().unwrap().to_owned())
    };
    Answer {
        status: head.status.as_u16(),
        headers: head.headers.iter().map(header).collect(),
        body: String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap(),
    }
}

/// Sends a `GET` request to a router.
pub(crate) async fn get(router: &Router, path: &str) -> Answer {
    send_to(router, Request::get(path).body(Body::empty()).unwrap()).await
}

/// Sends a `POST` request with JSON to a router.
pub(crate) async fn post(router: &Router, path: &str, json: impl Into<Body>) -> Answer {
    send_to(router, Request::post(path).header("content-type", "application/json").body(json.into()).unwrap())
        .await
}

/// Sends raw bytes and reads until the server closes the connection.
pub(crate) async fn exchange(address: SocketAddr, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may reject a request before reading all of it.
    let _ = stream.write_all(request).await;
    rest(stream).await
}

/// Reads until the server closes the connection.
pub(crate) async fn rest(mut stream: TcpStream) -> Answer {
    let mut answer = Vec::new();
    // A response that arrived before a reset counts.
    let _ = stream.read_to_end(&mut answer).await;
    Answer::parse(&answer)
}

/// Returns a request with these headers and `Connection: close`.
pub(crate) fn request(line: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    if !body.is_empty() {
        text.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}").into_bytes()
}
