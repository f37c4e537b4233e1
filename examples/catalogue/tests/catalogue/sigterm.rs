//! SIGTERM lets a modifying call of a stored tool finish.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

use serde_json::json;

use crate::program::Fixture;
use crate::shared::call_through_sigterm;

/// Accepts a connection and reads one request from it.
fn request(service: &TcpListener) -> TcpStream {
    let mut stream = BufReader::new(service.accept().unwrap().0);
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            stream.read_exact(&mut vec![0; length]).unwrap();
            return stream.into_inner();
        }
    }
}

#[test]
fn finishes_a_modifying_call_on_sigterm() {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let fixture = Fixture::new().with_library(&format!("http://{}", service.local_addr().unwrap()));
    let pending = Mutex::new(None);
    let result = call_through_sigterm(
        fixture.program().args(["serve", "mcp"]),
        "borrow_book",
        &json!({"isbn": "9780141439471", "reader": "Ada"}),
        || *pending.lock().unwrap() = Some(request(&service)),
        || {
            let body = json!({"title": "Frankenstein"}).to_string();
            let answer = format!(
                "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            pending.lock().unwrap().take().unwrap().write_all(answer.as_bytes()).unwrap();
        },
    );
    assert_eq!(result["isError"], false, "{result}");
    assert!(result.to_string().contains("Frankenstein"), "{result}");
}
