//! SIGTERM on stdio lets a running block finish.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Mutex;

use serde_json::json;

use crate::shared::call_through_sigterm;

#[test]
fn finishes_a_modifying_call_on_sigterm() {
    let service = TcpListener::bind("127.0.0.1:0").unwrap();
    let pending: Mutex<Option<TcpStream>> = Mutex::new(None);
    let origin = format!("http://{}", service.local_addr().unwrap());
    let result = call_through_sigterm(
        Command::new(env!("CARGO_BIN_EXE_onetool")).args(["serve", "mcp"]).env("ONETOOL_SEARCH", origin),
        "run",
        &json!({"command": "__onetool__run\nbrave_web_search(query=\"tides\")"}),
        || {
            let (mut stream, _) = service.accept().unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                head.push(byte[0]);
            }
            *pending.lock().unwrap() = Some(stream);
        },
        || {
            let mut stream = pending.lock().unwrap().take().unwrap();
            let body = json!({"query": "tides", "results": []}).to_string();
            let length = body.len();
            let head = format!("content-type: application/json\r\ncontent-length: {length}");
            let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\nconnection: close\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).unwrap();
        },
    );
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["result"]),
        (&json!(false), &json!([])),
        "{result}"
    );
}
