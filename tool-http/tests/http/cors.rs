//! CORS: no other origin may read responses unless configured.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::Request;
use tool_http::{Options, ServeError, Server, router_with};

use crate::client::{Answer, exchange, request, send_to};
use crate::tools::registry;

const APP: &str = "Origin: https://app.example.org";
const PREFLIGHT: [&str; 2] =
    ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: content-type"];

async fn serving(options: Options) -> SocketAddr {
    let server = Server::new(registry()).options(options).bind("127.0.0.1:0").await.unwrap();
    let address = server.local_addr();
    tokio::spawn(server.run(std::future::pending()));
    address
}

fn permissions(answer: &Answer) -> [&str; 3] {
    ["access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers"]
        .map(|name| answer.header(name))
}

#[tokio::test]
async fn row_49_allows_no_cross_origin_reads_by_default() {
    let address = serving(Options::new()).await;
    for line in ["OPTIONS /tools", "OPTIONS /tools/add/call", "GET /tools"] {
        let headers = ["Host: localhost", APP, PREFLIGHT[0], PREFLIGHT[1]];
        let answer = exchange(address, &request(line, &headers, "")).await;
        assert_eq!((answer.status, permissions(&answer)), (403, [""; 3]), "{line}");
    }
    // The same applies to a router within an application, which has its own policy.
    let router = router_with(registry(), Options::new());
    let request = Request::get("/tools").header("origin", "https://app.example.org");
    let answer = send_to(&router, request.body(Body::empty()).unwrap()).await;
    assert_eq!((answer.status, permissions(&answer)), (200, [""; 3]));
}

#[tokio::test]
async fn allows_configured_origins() {
    let options = Options::new().allow_execute(true).allow_cors_origin("https://app.example.org");
    let address = serving(options).await;
    let cross = "Sec-Fetch-Site: cross-site";
    let headers = ["Host: localhost", APP, cross, PREFLIGHT[0], PREFLIGHT[1]];
    let answer = exchange(address, &request("OPTIONS /tools/add/call", &headers, "")).await;
    assert_eq!(
        (answer.status, permissions(&answer)),
        (
            200,
            [
                "https://app.example.org",
                "GET,HEAD,POST",
                "authorization,content-type,if-none-match,traceparent"
            ]
        )
    );
    let answer = exchange(address, &request("GET /tools", &["Host: localhost", APP, cross], "")).await;
    assert_eq!((answer.status, permissions(&answer)[0]), (200, "https://app.example.org"));
    let vary = answer.all("vary");
    assert!(vary.contains("origin") && vary.contains("accept-encoding"), "{vary}");
    let answer =
        exchange(address, &request("POST /tools/add/call", &["Host: localhost", APP, cross], r#"{"a":1}"#))
            .await;
    assert_eq!((answer.status, permissions(&answer)[0]), (200, "https://app.example.org"));

    for other in [
        "Origin: https://evil.example",
        "Origin: https://app.example.org.evil.example",
        "Origin: null",
        "Origin: http://app.example.org",
    ] {
        for line in ["OPTIONS /tools/add/call", "GET /tools"] {
            let headers = ["Host: localhost", other, PREFLIGHT[0]];
            let answer = exchange(address, &request(line, &headers, "")).await;
            assert_eq!((answer.status, permissions(&answer)), (403, [""; 3]), "{line} {other}");
        }
    }
    // A cross-site request without an origin is rejected.
    let answer = exchange(address, &request("GET /tools", &["Host: localhost", cross], "")).await;
    assert_eq!(answer.status, 403);
}

#[tokio::test]
async fn applies_cors_in_a_router() {
    let options = Options::new().allow_cors_origin("https://app.example.org");
    let router = router_with(registry(), options);
    for (origin, allowed) in
        [("https://app.example.org", "https://app.example.org"), ("https://evil.example", ""), ("null", "")]
    {
        let request = Request::get("/tools").header("origin", origin).body(Body::empty()).unwrap();
        assert_eq!(permissions(&send_to(&router, request).await)[0], allowed, "{origin}");
    }
}

#[tokio::test]
async fn rejects_invalid_origins_at_start() {
    for origin in ["*", "null", "app.example.org", "https://app.example.org/x", "https://a\nb"] {
        let options = Options::new().allow_cors_origin(origin);
        let error = Server::new(registry()).options(options).bind("127.0.0.1:0").await.unwrap_err();
        assert!(matches!(error, ServeError::Origin(_)), "{origin}");
    }
}

#[tokio::test]
async fn normalizes_origins() {
    for (named, origin, same) in [
        ("HTTPS://App.Example.org", "https://app.example.org", true),
        ("https://app.example.org:443", "https://app.example.org", true),
        ("https://app.example.org", "https://app.example.org:443", true),
        ("https://app.example.org/", "https://app.example.org", true),
        ("http://app.example.org:80", "http://app.example.org", true),
        ("http://app.example.org:443", "https://app.example.org", false),
        ("https://app.example.org:8443", "https://app.example.org", false),
    ] {
        let options = Options::new().allow_cors_origin(named);
        let get = Request::get("/tools").header("origin", origin).body(Body::empty()).unwrap();
        let answer = send_to(&router_with(registry(), options.clone()), get).await;
        let allowed = if same { origin } else { "" };
        assert_eq!(permissions(&answer)[0], allowed, "{named}: {origin}");
        assert!(answer.all("vary").contains("origin"), "{}", answer.all("vary"));
        // The filter of a server agrees.
        let header = format!("Origin: {origin}");
        let answer =
            exchange(serving(options).await, &request("GET /tools", &["Host: localhost", &header], "")).await;
        assert_eq!((answer.status == 200, permissions(&answer)[0]), (same, allowed), "{named}: {origin}");
    }
}

#[test]
fn panics_on_invalid_origins() {
    for origin in [
        "*",
        "null",
        "http://",
        "https://:443",
        "app.example.org",
        "https://a.b/path",
        "https://a.b//",
        "https://a.b?q",
        "https://user@a.b",
        "https://a.b:x",
        "https://a\nb",
    ] {
        let make = || router_with(registry(), Options::new().allow_cors_origin(origin));
        let panic = std::panic::catch_unwind(make).expect_err(origin);
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.starts_with(&format!("`{origin}` is no origin")), "{message}");
    }
}

#[tokio::test]
async fn exposes_response_headers() {
    let options = Options::new().allow_cors_origin("https://app.example.org");
    let get = Request::get("/tools").header("origin", "https://app.example.org").body(Body::empty()).unwrap();
    let answer = send_to(&router_with(registry(), options), get).await;
    assert_eq!(
        answer.header("access-control-expose-headers"),
        "etag,link,retry-after,www-authenticate,tools-skipped"
    );
}
