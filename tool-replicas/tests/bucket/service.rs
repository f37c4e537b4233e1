//! An HTTP service on loopback with prepared answers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The answer to a request.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A status and a body.
    Of(u16, String),
    /// A redirect to another address.
    Redirect(String),
    /// The head of an object with so many bytes, and none of them.
    Announced(usize),
    /// The request is read, and not answered.
    Never,
}

impl Answer {
    pub(crate) fn of(status: u16, body: &str) -> Self {
        Answer::Of(status, body.to_owned())
    }

    fn bytes(&self) -> Option<String> {
        let etag = "etag: \"1\"\r\nlast-modified: Thu, 01 Jan 2026 00:00:00 GMT";
        let (status, header, body, length) = match self {
            Answer::Of(status, body) => (*status, etag.to_owned(), body.as_str(), body.len()),
            Answer::Announced(length) => (200, etag.to_owned(), "", *length),
            Answer::Redirect(url) => (307, format!("location: {url}"), "", 0),
            Answer::Never => return None,
        };
        Some(format!(
            "HTTP/1.1 {status} Status\r\n{header}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    }
}

/// A service that gives its answers in order, and the last of them to all further requests.
pub(crate) struct Service {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    pub(crate) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let received = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (answers, received) = (answers.clone(), Arc::clone(&received));
                tokio::spawn(answer(connection, answers, received));
            }
        });
        Service { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(mut connection: TcpStream, answers: Vec<Answer>, received: Arc<Mutex<Vec<String>>>) {
    let request = read(&mut connection).await;
    let number = {
        let mut received = received.lock().unwrap();
        received.push(request);
        received.len()
    };
    let answer = &answers[number.min(answers.len()) - 1];
    if let Some(bytes) = answer.bytes() {
        connection.write_all(bytes.as_bytes()).await.unwrap();
    }
    if matches!(answer, Answer::Announced(_) | Answer::Never) {
        // Waits until the client leaves.
        drop(connection.read(&mut [0]).await);
    }
}

/// Reads a request with its body.
async fn read(connection: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = connection.read(&mut part).await.unwrap();
        request.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if count == 0 || body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        assert!(count > 0, "the request is cut off: {text}");
    }
}
