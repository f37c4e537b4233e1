//! Local services: the lending library, and a faulty one.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};

use crate::program::Fixture;

/// The lending library, until the test ends.
pub(crate) struct Library {
    pub(crate) origin: String,
    end: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Library {
    pub(crate) fn start() -> Self {
        Library::on(([127, 0, 0, 1], 0).into())
    }

    pub(crate) fn on(addr: SocketAddr) -> Self {
        let (sender, receiver) = mpsc::channel();
        let (end, shutdown) = tokio::sync::oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let (addr, serving) = catalogue::demo::bind(addr).await.unwrap();
                sender.send(addr).unwrap();
                tokio::select! {
                    server = serving => server.unwrap(),
                    _ = shutdown => {}
                }
            });
        });
        let origin = format!("http://{}", receiver.recv().unwrap());
        Library { origin, end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

/// Answers each path with its own bytes and disconnects.
pub(crate) struct FaultyService {
    pub(crate) origin: String,
    /// All requests, in order of arrival.
    pub(crate) requests: mpsc::Receiver<String>,
}

impl FaultyService {
    pub(crate) fn start(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = mpsc::channel();
        let answer = std::sync::Arc::new(answer);
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (sender, answer) = (sender.clone(), std::sync::Arc::clone(&answer));
                thread::spawn(move || {
                    let mut bytes = [0; 8192];
                    let read = stream.read(&mut bytes).unwrap_or(0);
                    let request = String::from_utf8_lossy(&bytes[..read]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    let _ = sender.send(request);
                    answer(&path, &mut stream);
                });
            }
        });
        FaultyService { origin, requests }
    }
}

/// Writes a response; the client may disconnect early.
pub(crate) fn write_text(stream: &mut TcpStream, text: &str) {
    let _ = stream.write_all(text.as_bytes());
}

pub(crate) fn response(status: &str, kind: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Imports a provider with one tool for each path, named after it.
pub(crate) fn describe(fixture: &Fixture, provider: &Value, paths: &[&str]) {
    let code = provider["code"].clone();
    let tool = |path: &&str| {
        let method = if path.starts_with("post") { "POST" } else { "GET" };
        json!({"code": path, "provider": code, "description": "Asks.", "path": format!("/{path}"), "method": method})
    };
    let tools: Vec<Value> = paths.iter().map(tool).collect();
    fixture.run_ok("import_catalogue", &json!({"providers": [provider], "tools": tools}));
}
