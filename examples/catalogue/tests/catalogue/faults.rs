//! Services that fail in every way: nothing hangs, every failure names its provider, and the next call works.

use std::io::{Read as _, Write as _};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::program::{Fixture, PATIENCE, Server};
use crate::service::{FaultyService, Library, describe, response, write_text};

/// A key as long as a real one.
const KEY: &str = "k3y-of-the-rude-service/+=";

fn faulty_service() -> FaultyService {
    FaultyService::start(|path, stream| match path.split('?').next().unwrap_or_default() {
        "/fine" => write_text(
            stream,
            &response("200 OK", "application/json; charset=utf-8", r#"{"a":12345678901234567890.50}"#),
        ),
        "/list" => write_text(stream, &response("200 OK", "application/json", "[1,2]")),
        "/text" => write_text(stream, &response("200 OK", "text/csv", "a,b\n1,2\n")),
        "/binary" => write_text(stream, &response("200 OK", "application/pdf", "%PDF")),
        "/untyped" => write_text(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
        "/nothing" => write_text(stream, "HTTP/1.1 204 No Content\r\n\r\n"),
        // Waits until the client disconnects.
        "/hang" => drop(stream.read(&mut [0])),
        "/half" | "/post_half" => {
            write_text(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nhalf",
            );
        }
        "/drip" => {
            write_text(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
            while stream.write_all(b".").is_ok() {
                thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        "/flood" => {
            write_text(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
            while stream.write_all(&[b'x'; 65_536]).is_ok() {}
        }
        "/no_http" => write_text(stream, "220 smtp.example.org ESMTP\r\n"),
        "/round" => write_text(
            stream,
            "HTTP/1.1 302 Found\r\nLocation: /round\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        ),
        "/inside" => write_text(
            stream,
            "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        ),
        "/no_json" => write_text(stream, &response("200 OK", "application/json", "<html>")),
        "/deep" => write_text(stream, &response("200 OK", "application/json", &"[".repeat(10_000))),
        "/latin" => {
            write_text(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n");
            let _ = stream.write_all(&[0xe9, 0xff]);
        }
        "/trace" => write_text(
            stream,
            &response(
                "500 Internal Server Error",
                "text/plain",
                "at /srv/app.py line 5: SELECT * FROM users",
            ),
        ),
        "/busy" => write_text(
            stream,
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        ),
        "/page" => write_text(stream, &response("403 Forbidden", "text/html", "<script>alert(1)</script>")),
        "/mistake" => write_text(
            stream,
            &response(
                "400 Bad Request",
                "application/problem+json",
                &format!(
                    r#"{{"title":"Bad","detail":"no city\u001b[31m\nof this name, and your key is {KEY} {}"}}"#,
                    "y".repeat(2000)
                ),
            ),
        ),
        "/taken" => {
            write_text(
                stream,
                &response("409 Conflict", "application/json", r#"{"error":{"message":"it is taken"}}"#),
            );
        }
        "/echo" => write_text(stream, &response("200 OK", "text/plain", &format!("you sent {KEY}"))),
        "/echo_json" => write_text(
            stream,
            &response("200 OK", "application/json", &format!(r#"{{"headers":{{"x-key":"{KEY}"}}}}"#)),
        ),
        "/hidden" => write_text(
            stream,
            &response(
                "200 OK",
                "application/json",
                &format!(
                    r#"{{"text":"fine\udb40\udc69\udb40\udc67\u202e","echo":"{}"}}"#,
                    KEY.replace('/', "\\/")
                ),
            ),
        ),
        _ => write_text(
            stream,
            &response("404 Not Found", "application/json", r#"{"message":"there is nothing"}"#),
        ),
    })
}

const PATHS: [&str; 27] = [
    "fine",
    "list",
    "text",
    "binary",
    "untyped",
    "nothing",
    "hang",
    "half",
    "post_half",
    "drip",
    "flood",
    "no_http",
    "round",
    "inside",
    "no_json",
    "deep",
    "latin",
    "trace",
    "busy",
    "page",
    "mistake",
    "taken",
    "echo",
    "echo_json",
    "hidden",
    "gone",
    "post_fine",
];

fn server() -> (FaultyService, Fixture, Server) {
    let faulty_service = faulty_service();
    let fixture = Fixture::new().with("CATALOGUE_KEY_RUDE", KEY).with("RUST_LOG", "info");
    let provider = json!({
        "code": "rude", "base_url": faulty_service.origin, "timeout_ms": 2000, "max_bytes": 100_000, "auth": "header",
        "auth_name": "X-Key", "secret_variable": "CATALOGUE_KEY_RUDE",
    });
    describe(&fixture, &provider, &PATHS);
    let server = fixture.http();
    (faulty_service, fixture, server)
}

#[test]
fn names_the_provider_in_failures_and_keeps_serving() {
    let (_rude, _place, server) = server();
    let start = Instant::now();
    for (path, status, text) in [
        ("hang", 504, "provider `rude`: it did not answer within 2s"),
        ("drip", 504, "provider `rude`: it did not answer within 2s"),
        ("half", 503, "provider `rude`: it broke off in the middle of its answer"),
        ("no_http", 503, "provider `rude`: it broke off in the middle of its answer"),
        ("flood", 500, "provider `rude`: its answer has more than 100000 bytes"),
        ("round", 500, "provider `rude`: it redirects more than 5 times"),
        ("inside", 500, "provider `rude`: `169.254.169.254` is an address that must not be connected to"),
        ("no_json", 500, "provider `rude`: its answer is no JSON, although it says so"),
        ("deep", 500, "provider `rude`: its answer is no JSON, although it says so"),
        ("latin", 500, "provider `rude`: its answer is no UTF-8, although it says that it is a text"),
        ("trace", 503, "provider `rude` answered 500 Internal Server Error"),
        ("busy", 503, "provider `rude` answered 503 Service Unavailable\ntry again in 7 seconds"),
        ("page", 500, "provider `rude` answered 403 Forbidden"),
        ("taken", 409, "provider `rude` answered 409 Conflict: it is taken"),
        ("gone", 404, "provider `rude` answered 404 Not Found: there is nothing"),
    ] {
        assert_eq!(server.failure(path, &json!({})), (status, text.to_owned()), "{path}");
        let (status, answer) = server.call("fine", &json!({}));
        assert_eq!(status, 200, "after {path}: {answer}");
    }
    assert!(start.elapsed() < PATIENCE);
    let (status, mistake) = server.failure("mistake", &json!({}));
    assert_eq!(status, 500);
    let expected =
        "provider `rude` answered 400 Bad Request: no city [31m of this name, and your key is (secret) yyy";
    assert!(mistake.starts_with(expected) && mistake.len() < 450, "{mistake}");
    let log = server.log();
    assert!(!log.contains(KEY) && !log.contains("SELECT"), "{log}");
}

#[test]
fn marks_retryable_failures() {
    let (_rude, fixture, server) = server();
    for (path, retryable) in [
        ("half", true),
        ("post_half", false),
        ("hang", true),
        ("busy", true),
        ("taken", false),
        ("page", false),
    ] {
        let output = fixture.output(&["run", path, "--yes", "--format", "json"]);
        let response: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&response["success"], &response["retryable"]),
            (&json!(false), &json!(retryable)),
            "{path}: {response}"
        );
    }
    drop(server);
}

#[test]
fn converts_responses_by_content_type() {
    let (_rude, _place, server) = server();
    let answer = |path: &str| server.call(path, &json!({})).1;
    assert_eq!(answer("fine")["content"][0]["text"], r#"{"a":12345678901234567890.50}"#, "every digit");
    assert_eq!(answer("list")["structuredContent"], json!({"result": [1, 2]}));
    assert_eq!(answer("text")["content"], json!([{"type": "text", "text": "a,b\n1,2\n"}]));
    assert_eq!(
        answer("binary")["content"][0]["resource"],
        json!({"uri": "catalogue:binary", "mimeType": "application/pdf", "blob": "JVBERg=="})
    );
    assert_eq!(answer("untyped")["content"][0]["resource"]["mimeType"], "application/octet-stream");
    assert_eq!(answer("nothing")["content"], json!([]));
}

#[test]
fn reports_responses_without_the_declared_json() {
    let (_rude, fixture, server) = server();
    let schema = json!({"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]});
    for path in ["text", "nothing", "fine"] {
        fixture.run_ok("edit_tool", &json!({"code": path, "output_schema": schema}));
    }
    let start = Instant::now();
    while server.get("/tools/nothing").1["outputSchema"].is_null()
        || server.get("/tools/fine").1["outputSchema"].is_null()
    {
        assert!(start.elapsed() < PATIENCE);
        thread::yield_now();
    }
    let expected = "provider `rude`: it answered `text/csv`, and JSON was expected";
    assert_eq!(server.failure("text", &json!({})), (500, expected.to_owned()));
    assert_eq!(
        server.failure("nothing", &json!({})),
        (500, "provider `rude`: its answer is empty".to_owned())
    );
    assert_eq!(server.call("fine", &json!({})).0, 200);
}

#[test]
fn masks_the_key_in_every_response() {
    let (faulty_service, _place, server) = server();
    assert_eq!(server.call("echo", &json!({})).1["content"][0]["text"], "you sent (secret)");
    assert_eq!(server.call("echo_json", &json!({})).1["structuredContent"]["headers"]["x-key"], "(secret)");
    let hidden = server.call("hidden", &json!({})).1["structuredContent"].clone();
    assert_eq!(hidden, json!({"text": "fine", "echo": "(secret)"}), "hidden characters are removed, too");
    let request = faulty_service.requests.recv_timeout(PATIENCE).unwrap();
    assert!(request.contains(&format!("x-key: {KEY}\r\n")), "{request}");
    assert!(!server.log().contains(KEY), "{}", server.log());
    for path in ["/tools", "/tools/echo", "/openapi.json", "/mcp/tools/list"] {
        assert!(!server.get(path).1.to_string().contains(KEY), "{path}");
    }
}

#[test]
fn hides_secret_arguments_in_logs() {
    let (_rude, fixture, server) = server();
    let parameters = json!([
        {"name": "password", "type": "string", "secret": true},
        {"name": "note", "type": "string"},
    ]);
    fixture.run_ok("edit_tool", &json!({"code": "fine", "parameters": parameters}));
    let start = Instant::now();
    while server.get("/tools/fine").1["inputSchema"]["properties"]["note"].is_null() {
        assert!(start.elapsed() < PATIENCE);
        thread::yield_now();
    }
    let arguments = json!({"password": "correct horse", "note": format!("not correct horse, not {KEY}")});
    assert_eq!(server.call("fine", &arguments).0, 200);
    // The log is read beside the response, and may arrive after it.
    let start = Instant::now();
    let mut log = server.log();
    while !log.contains("not (secret), not (secret)") {
        assert!(start.elapsed() < PATIENCE, "{log}");
        thread::yield_now();
        log = server.log();
    }
    for spelling in ["correct horse", "correct+horse", "correct%20horse", KEY] {
        assert!(!log.contains(spelling), "{spelling}\n{log}");
    }
}

#[test]
fn reports_a_missing_or_short_key_and_sends_nothing() {
    let (faulty_service, mut fixture, _served) = server();
    for (key, expected) in
        [("", "is not set"), ("abc", "has fewer than 4 bytes, and could not be masked in answers")]
    {
        fixture = fixture.with("CATALOGUE_KEY_RUDE", key);
        let server = fixture.http();
        let expected =
            format!("provider `rude`: the variable `CATALOGUE_KEY_RUDE` of the environment {expected}");
        assert_eq!(server.failure("fine", &json!({})), (503, expected));
        assert!(faulty_service.requests.try_recv().is_err(), "nothing was sent");
    }
}

#[test]
fn calls_a_service_again_after_its_restart() {
    let library = Library::start();
    let fixture = Fixture::new().with_library(&library.origin);
    let server = fixture.http();
    let isbn = json!({"isbn": "9780142437247"});
    assert_eq!(server.call("get_book", &isbn).0, 200);
    let addr = library.origin.strip_prefix("http://").unwrap().parse().unwrap();
    drop(library);
    let (status, text) = server.failure("get_book", &isbn);
    assert_eq!(
        (status, text.as_str()),
        (503, "provider `library`: it cannot be reached: nobody listens there")
    );
    assert_eq!(server.names().unwrap().len(), 4, "its tools are still listed");
    let _library = Library::on(addr);
    assert_eq!(server.call("get_book", &isbn).0, 200);
}

#[test]
fn isolates_slow_services() {
    let (_rude, fixture, server) = server();
    let library = Library::start();
    let fixture = fixture.with_library(&library.origin);
    server.wait_until("the library is there", |names| {
        names.as_ref().is_ok_and(|names| names.len() == PATHS.len() + 4)
    });
    let start = Instant::now();
    thread::scope(|scope| {
        let slow: Vec<_> = (0..20).map(|_| scope.spawn(|| server.call("hang", &json!({})).0)).collect();
        for _ in 0..20 {
            assert_eq!(server.call("find_books", &json!({})).0, 200);
        }
        assert!(slow.into_iter().all(|slow| slow.join().unwrap() == 504));
    });
    // In parallel: one after the other takes forty seconds.
    assert!(start.elapsed().as_secs() < 30);
    drop(fixture);
}
