//! Entity tags and content codings.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use tool_core::Registry;
use tool_http::router;
use tower::ServiceExt as _;

use crate::client::{Answer, get, send_to};
use crate::tools::registry;

const PATHS: [&str; 8] = [
    "/tools",
    "/tools?detail=full",
    "/tools?q=add&limit=1",
    "/tools?profile=openai",
    "/tools/add",
    "/tools/add/inputs",
    "/mcp/tools/list",
    "/openapi.json",
];

async fn get_with(router: &Router, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send_to(router, request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn row_66_answers_304_for_a_matching_etag() {
    let router = router(registry());
    for path in PATHS {
        let full = get(&router, path).await;
        let etag = full.header("etag").to_owned();
        assert!(etag.starts_with("W/\"") && etag.ends_with('"') && etag.len() > 20, "{path}: {etag}");
        assert_eq!(full.header("vary"), "accept-encoding", "{path}");
        let strong = etag.trim_start_matches("W/");
        for (value, cached) in [
            (etag.clone(), true),
            // Entity tags are compared weakly (RFC 9110, section 13.1.2).
            (strong.to_owned(), true),
            ("*".to_owned(), true),
            (" * ".to_owned(), true),
            (format!("\"a\", {etag} ,W/\"b\""), true),
            (format!(", {strong},"), true),
            (String::new(), false),
            ("\"a\", W/\"b\"".to_owned(), false),
            (etag.to_uppercase(), false),
            (etag.trim_matches('"').to_owned(), false),
            (strong.trim_matches('"').to_owned(), false),
            (format!("{etag} {etag}"), false),
            (format!("w/{strong}"), false),
            (format!("*, {etag}"), false),
        ] {
            let answer = get_with(&router, path, &[("if-none-match", &value)]).await;
            assert_eq!(answer.status, if cached { 304 } else { 200 }, "{path}: {value}");
            assert_eq!(answer.body, if cached { "" } else { &*full.body }, "{path}: {value}");
            assert_eq!((answer.header("etag"), answer.header("vary")), (&*etag, "accept-encoding"));
            if cached {
                // A 304 response has no content length.
                assert_eq!((answer.header("content-length"), answer.header("content-type")), ("", ""));
            }
        }
        let two = [("if-none-match", "\"a\""), ("if-none-match", &*etag)];
        assert_eq!(get_with(&router, path, &two).await.status, 304, "{path}");
        // The decoded response is the same.
        let zipped = [("if-none-match", &*etag), ("accept-encoding", "gzip")];
        assert_eq!(get_with(&router, path, &zipped).await.status, 304, "{path}");
        let head = Request::head(path).header("if-none-match", &etag).body(Body::empty()).unwrap();
        assert_eq!(send_to(&router, head).await.status, 304, "{path}");
    }
    for path in ["/tools/nope", "/nope", "/tools?x"] {
        let answer = get_with(&router, path, &[("if-none-match", "*")]).await;
        assert!(answer.status >= 400 && answer.header("etag").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn changes_the_etag_with_the_content() {
    let other = || Registry::builder().linked().select(|tool| tool.name() == "add").build().unwrap();
    let (first, second) = (router(registry()), router(registry()));
    for path in PATHS {
        let tag = async |router: &Router| get(router, path).await.header("etag").to_owned();
        assert_eq!(tag(&first).await, tag(&second).await, "{path}");
        let fewer = tag(&router(other())).await;
        let alone = ["/tools/add", "/tools/add/inputs", "/tools?q=add&limit=1"].contains(&path);
        assert_eq!(fewer == tag(&first).await, alone, "{path}");
    }
}

#[tokio::test]
async fn compresses_large_responses_on_request() {
    let router = router(registry());
    let plain = get(&router, "/tools").await;
    assert!(plain.body.len() > 1024 && plain.header("content-encoding").is_empty());
    for (accepts, coding) in [
        ("gzip", "gzip"),
        ("deflate, gzip;q=0.5", "gzip"),
        ("GZIP", "gzip"),
        ("br", ""),
        ("identity", ""),
        ("gzip;q=0", ""),
        ("", ""),
    ] {
        let request = Request::get("/tools").header("accept-encoding", accepts).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let header =
            |name| response.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        assert_eq!(header("content-encoding"), coding, "{accepts}");
        assert_eq!(header("vary"), "accept-encoding", "{accepts}");
        assert_eq!(header("etag"), plain.header("etag"), "{accepts}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        if coding.is_empty() {
            assert_eq!(body, plain.body, "{accepts}");
        } else {
            let mut unzipped = String::new();
            std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&body[..]), &mut unzipped)
                .unwrap();
            assert_eq!(unzipped, plain.body, "{accepts}");
            assert!(body.len() < plain.body.len());
        }
    }
    // Results of calls are compressed, too.
    let calls = tool_http::router_with(registry(), tool_http::Options::new().allow_execute(true));
    let request = Request::post("/tools/echo/call").header("accept-encoding", "gzip");
    let body = format!(r#"{{"text":"{}"}}"#, "rain ".repeat(72_000));
    let request = request.header("content-type", "application/json").body(Body::from(body)).unwrap();
    let response = calls.oneshot(request).await.unwrap();
    assert_eq!(response.headers()["content-encoding"], "gzip");
    assert!(response.into_body().collect().await.unwrap().to_bytes().len() < 10_000);
    // A call does not run if its response cannot be sent.
    for accepts in ["*;q=0", "identity;q=0", "gzip;q=0, *;q=0"] {
        for line in ["GET /tools", "GET /", "POST /tools/panics/call", "GET /openapi.json"] {
            let (method, path) = line.split_once(' ').unwrap();
            let request = Request::builder().method(method).uri(path).header("accept-encoding", accepts);
            let answer = send_to(&router, request.body(Body::empty()).unwrap()).await;
            let error = r#"{"error":"`Accept-Encoding` excludes every coding of the answer: accept `identity` or `gzip`"}"#;
            assert_eq!((answer.status, &*answer.body), (406, error), "{line} {accepts}");
        }
    }
    // Small responses are not compressed.
    let small = get_with(&router, "/tools/no.thing/inputs", &[("accept-encoding", "gzip")]).await;
    assert_eq!((&*small.body, small.header("content-encoding")), ("[]", ""));
}

#[tokio::test]
async fn compresses_small_responses_without_identity() {
    let router = tool_http::router_with(registry(), tool_http::Options::new().allow_execute(true));
    for accepts in ["gzip, identity;q=0", "*, identity;q=0", "identity;q=0, x-gzip;q=0.1"] {
        for (line, status, plain) in [
            ("GET /tools/no.thing/inputs", 200, "[]"),
            ("GET /tools/nope", 404, r#"{"error":"Tool not found: nope"}"#),
            ("POST /tools/add/validate", 200, r#"{"valid":true}"#),
            ("GET /nope", 404, r#"{"error":"Not found"}"#),
        ] {
            let (method, path) = line.split_once(' ').unwrap();
            let request = Request::builder().method(method).uri(path).header("accept-encoding", accepts);
            let request = request.header("content-type", "application/json");
            let body = if method == "POST" { Body::from(r#"{"a":1}"#) } else { Body::empty() };
            let response = router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
            let coding = response.headers().get("content-encoding").map(|coding| coding.to_str().unwrap());
            assert_eq!((response.status().as_u16(), coding), (status, Some("gzip")), "{line} {accepts}");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let mut unzipped = String::new();
            std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&body[..]), &mut unzipped)
                .unwrap();
            assert_eq!(unzipped, plain, "{line} {accepts}");
        }
        // An empty body stays empty.
        let etag = get(&router, "/tools/no.thing/inputs").await.header("etag").to_owned();
        let cached = [("if-none-match", &*etag), ("accept-encoding", accepts)];
        let cached = get_with(&router, "/tools/no.thing/inputs", &cached).await;
        assert_eq!((cached.status, &*cached.body, cached.header("content-encoding")), (304, "", ""));
    }
}
