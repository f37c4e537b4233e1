//! Malformed and hostile requests as raw bytes: rows 47, 54 to 56, 65 and 68 of the table of faults.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::json;

use crate::support::{TIMEOUT, TestServer};

const POST: &str = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                    accept: application/json, text/event-stream\r\n";
const CLOSE: &str = "connection: close\r\n";

/// Sends these bytes, and returns everything until the server closes the connection.
fn exchange(server: &TestServer, text: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.addr).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    // The server may refuse the request before it has read all of it.
    let _ = stream.write_all(text);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

/// Asserts the status of each request and that the server keeps serving.
fn answers(table: impl IntoIterator<Item = (String, u16)>) {
    let server = TestServer::start();
    for (text, status) in table {
        let answer = exchange(&server, text.as_bytes());
        let text = &text[..text.len().min(200)];
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{text}: {answer:.300}");
        assert!(answer.len() < 2_000, "{text}: {answer:.300}");
        assert_eq!(server.call_modern("add", json!({"a": 1}))["result"]["isError"], false, "after {text}");
    }
}

#[test]
fn row_47_rejects_dns_rebinding() {
    let server = TestServer::start();
    for method in ["POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD"] {
        for (path, status) in [("/mcp", 403), ("/", 404), ("/nope", 404)] {
            for headers in [
                "host: evil.example\r\norigin: http://evil.example\r\n",
                "host: evil.example:80\r\norigin: http://evil.example:80\r\nsec-fetch-site: same-origin\r\n",
                "host: evil.example\r\n",
            ] {
                let text = format!("{method} {path} HTTP/1.1\r\n{headers}{CLOSE}\r\n");
                let answer = exchange(&server, text.as_bytes());
                assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{text}{answer}");
                assert!(status == 403 || answer.ends_with("\r\n\r\n"), "{text}{answer}");
            }
        }
    }
}

#[test]
fn row_54_rejects_ambiguous_body_lengths() {
    answers([
        (format!("{POST}{CLOSE}content-length: 2\r\ncontent-length: 3\r\n\r\n{{}}"), 400),
        (format!("{POST}{CLOSE}content-length: -1\r\n\r\n"), 400),
        (format!("{POST}{CLOSE}content-length: +2\r\n\r\n{{}}"), 400),
        (format!("{POST}{CLOSE}content-length: 2, 3\r\n\r\n{{}}"), 400),
        (format!("{POST}{CLOSE}transfer-encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"), 400),
        (format!("{POST}{CLOSE}transfer-encoding: gzip\r\n\r\n{{}}"), 400),
        (
            format!(
                "{POST}{CLOSE}transfer-encoding: chunked\r\n\r\n2;{}\r\n{{}}\r\n0\r\n\r\n",
                "x".repeat(100_000)
            ),
            400,
        ),
    ]);
    // With both headers, the chunks define the end, and the rest is never parsed as another request.
    let server = TestServer::start();
    let both = format!("{POST}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n");
    let answer =
        exchange(&server, format!("{both}DELETE /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
}

#[test]
fn rows_55_and_56_limit_the_request_head() {
    let path = "x".repeat(70_000);
    answers([
        (format!("{POST}{}\r\n", "x-a: b\r\n".repeat(200)), 431),
        (format!("{POST}x-a: {}\r\n\r\n", "x".repeat(1_000_000)), 431),
        (format!("{POST}x-a: a\0b\r\n\r\n"), 400),
        (format!("{POST}x-a: a\rb\r\n\r\n"), 400),
        (format!("{POST}x-a\r\n\r\n"), 400),
        (format!("{POST} folded\r\n\r\n"), 400),
        (POST.replace("/mcp", &format!("/mcp?{path}")) + "\r\n", 414),
        (POST.replace("/mcp", &format!("/{path}")) + "\r\n", 414),
    ]);
}

#[test]
fn row_65_rejects_http_2() {
    let server = TestServer::start();
    let answer = exchange(&server, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    assert!(!answer.starts_with("HTTP/1.1 200") && !answer.starts_with("\0\0"), "{answer:?}");
    let upgrade =
        "connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n";
    let answer = exchange(&server, format!("{POST}{upgrade}content-length: 0\r\n\r\n").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 400 ") && !answer.contains("upgrade"), "{answer}");
}

#[test]
fn row_68_rejects_trace_and_connect() {
    let secret = "host: localhost\r\nx-secret: swordfish\r\nconnection: close\r\n\r\n";
    let server = TestServer::start();
    for (line, status) in [("TRACE /mcp", 405), ("CONNECT localhost:80", 404)] {
        let answer = exchange(&server, format!("{line} HTTP/1.1\r\n{secret}").as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{line}: {answer}");
        assert!(!answer.contains("swordfish"), "{line}: {answer}");
    }
}
