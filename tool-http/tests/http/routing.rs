//! Paths, methods and media types.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tool_http::{Options, router_with};

use crate::client::{get, post, send_to};
use crate::tools::registry;

fn executing() -> Router {
    router_with(registry(), Options::new().allow_execute(true))
}

#[tokio::test]
async fn row_57_matches_tool_paths_exactly() {
    let router = executing();
    for (path, status, body) in [
        ("/tools/nope", 404, r#"{"error":"Tool not found: nope"}"#),
        ("/tools/nope/inputs", 404, r#"{"error":"Tool not found: nope"}"#),
        ("/tools/ADD", 404, r#"{"error":"Tool not found: ADD; did you mean `add`?"}"#),
        ("/tools/add%20", 404, r#"{"error":"Tool not found: add ; did you mean `add`?"}"#),
        ("/tools/add%00", 404, r#"{"error":"Tool not found: add\u0000; did you mean `add`?"}"#),
        ("/tools/%0d%0aadd", 404, r#"{"error":"Tool not found: \r\nadd"}"#),
        ("/tools/..", 404, r#"{"error":"Tool not found: .."}"#),
        ("/tools/%2e%2e%2ftools%2fadd", 404, r#"{"error":"Tool not found: ../tools/add"}"#),
        ("/tools/add%2Finputs", 404, r#"{"error":"Tool not found: add/inputs"}"#),
        ("/tools/x%2F..%2Fadd", 404, r#"{"error":"Tool not found: x/../add"}"#),
        ("/tools/%2561dd", 404, r#"{"error":"Tool not found: %61dd"}"#),
        ("/tools/%ff", 400, r#"{"error":"the name of the tool in the path is not UTF-8"}"#),
        ("/tools/%C5%8D", 404, r#"{"error":"Tool not found: ō"}"#),
        ("/tools/%zz", 404, r#"{"error":"Tool not found: %zz"}"#),
        ("/tools/", 404, r#"{"error":"Not found"}"#),
        ("/tools//inputs", 404, r#"{"error":"Tool not found: "}"#),
        ("/tools/add/", 404, r#"{"error":"Not found"}"#),
        ("/tools/../tools", 404, r#"{"error":"Not found"}"#),
        ("/tools/add/../add", 404, r#"{"error":"Not found"}"#),
        ("/nope", 404, r#"{"error":"Not found"}"#),
        ("/explorer/nope.js", 404, r#"{"error":"Not found"}"#),
    ] {
        let answer = get(&router, path).await;
        assert_eq!((answer.status, answer.body.as_str()), (status, body), "{path}");
        assert_eq!(answer.header("content-type"), "application/json", "{path}");
    }
    // Unnecessary encoding does not change the name.
    assert_eq!(get(&router, "/tools/%61dd").await.body, get(&router, "/tools/add").await.body);
    assert_eq!(get(&router, "/tools/no%2Ething").await.status, 200);
    assert_eq!(post(&router, "/tools/a%2Fb/call", "{}").await.body, r#"{"error":"Tool not found: a/b"}"#);
}

#[tokio::test]
async fn nests_under_any_prefix() {
    let application =
        || Router::new().route("/", axum::routing::get(async || "app")).fallback(async || "no such page");
    let own = r#"{"error":"Not found"}"#;
    let nested = application().nest("/a/b", executing());
    // The last segment is the name of the tool.
    let variable = application().nest("/{tenant}/{name}", executing().reset_fallback());
    let service = |prefix: &str| application().nest_service(prefix, executing());
    for (app, prefix, below) in [
        (nested, "/a/b", own),
        (variable, "/acme/fail", "no such page"),
        (service("/a/b"), "/a/b", own),
        (service("/{tenant}/{name}"), "/acme/fail", own),
    ] {
        assert_eq!(get(&app, "/").await.body, "app");
        assert_eq!(get(&app, "/nope").await.body, "no such page");
        assert_eq!(get(&app, &format!("{prefix}/nope")).await.body, below);
        assert_eq!(
            get(&app, &format!("{prefix}/tools/add")).await.body,
            get(&executing(), "/tools/add").await.body
        );
        assert_eq!(post(&app, &format!("{prefix}/tools/city/call"), "").await.status, 200);
        let wrong = post(&app, &format!("{prefix}/tools"), "").await;
        assert_eq!((wrong.status, wrong.header("allow")), (405, "GET,HEAD"));
        assert_eq!(wrong.body, r#"{"error":"Method not allowed"}"#);
        let head = Request::head(format!("{prefix}/tools/add")).body(Body::empty()).unwrap();
        assert_eq!(send_to(&app, head).await.body, "");
    }
}

#[tokio::test]
async fn serves_the_prefix_with_and_without_a_trailing_slash() {
    let app = Router::new().nest_service("/a/b", executing());
    for (path, file) in [("/a/b", "./b/explorer/app.js"), ("/a/b/", "./explorer/app.js")] {
        let page = get(&app, path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.contains(&format!(r#"src="{file}""#)), "{path}: {}", page.body);
    }
    assert_eq!(get(&app, "/a/b/explorer/app.js").await.status, 200);
}

#[tokio::test]
async fn row_50_lists_allowed_methods() {
    let router = executing();
    for (method, path, allow) in [
        ("POST", "/", "GET,HEAD"),
        ("DELETE", "/explorer/app.js", "GET,HEAD"),
        ("POST", "/tools", "GET,HEAD"),
        ("DELETE", "/tools/add", "GET,HEAD"),
        ("PUT", "/tools/add/inputs", "GET,HEAD"),
        ("GET", "/tools/add/call", "POST"),
        ("HEAD", "/tools/add/call", "POST"),
        ("GET", "/tools/add/validate", "POST"),
        ("OPTIONS", "/tools/add/call", "POST"),
        ("TRACE", "/tools", "GET,HEAD"),
        ("BREW", "/tools", "GET,HEAD"),
        ("DELETE", "/mcp/tools/list", "GET,HEAD,POST"),
        ("POST", "/openapi.json", "GET,HEAD"),
    ] {
        let answer =
            send_to(&router, Request::builder().method(method).uri(path).body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status, answer.header("allow")), (405, allow), "{method} {path}");
        assert_eq!(answer.body, if method == "HEAD" { "" } else { r#"{"error":"Method not allowed"}"# });
    }
}

#[tokio::test]
async fn row_50_answers_head_like_get_without_a_body() {
    let router = executing();
    for path in [
        "/tools",
        "/tools?operation=read",
        "/tools/add",
        "/tools/add/inputs",
        "/mcp/tools/list",
        "/openapi.json",
        "/tools/nope",
        "/nope",
    ] {
        let full = get(&router, path).await;
        let head = send_to(&router, Request::head(path).body(Body::empty()).unwrap()).await;
        assert_eq!((head.status, head.body.as_str()), (full.status, ""), "{path}");
        assert_eq!(head.header("content-length"), full.body.len().to_string(), "{path}");
        assert_eq!(head.header("content-type"), "application/json", "{path}");
    }
}

#[tokio::test]
async fn row_52_answers_json_for_any_accept_header() {
    let request = Request::get("/tools").header("accept", "text/html").body(Body::empty()).unwrap();
    assert_eq!(send_to(&executing(), request).await.header("content-type"), "application/json");
}

#[tokio::test]
async fn row_51_requires_json_in_utf_8() {
    let router = executing();
    for (headers, body, status) in [
        (&[("content-type", "application/json")][..], r#"{"a":1}"#, 200),
        (&[("content-type", "Application/JSON; charset=UTF-8")], r#"{"a":1}"#, 200),
        (&[("content-type", "application/json; charset=\"utf-8\"")], r#"{"a":1}"#, 200),
        (&[("content-type", "application/json"), ("content-encoding", "identity")], r#"{"a":1}"#, 200),
        (&[], r#"{"a":1}"#, 415),
        (&[("content-type", "")], r#"{"a":1}"#, 415),
        (&[("content-type", "json")], r#"{"a":1}"#, 415),
        (&[("content-type", "text/json")], r#"{"a":1}"#, 415),
        (&[("content-type", "text/plain")], r#"{"a":1}"#, 415),
        (&[("content-type", "application/json5")], r#"{"a":1}"#, 415),
        (&[("content-type", "application/x-www-form-urlencoded")], "a=1", 415),
        (&[("content-type", "application/json; charset=utf-16")], r#"{"a":1}"#, 415),
        (&[("content-type", "application/json; charset=utf-8; charset=utf-16")], r#"{"a":1}"#, 415),
        (&[("content-type", "application/json"), ("content-type", "application/json")], r#"{"a":1}"#, 415),
        (&[("content-type", "text/plain")], "", 415),
        (&[("content-type", "application/json"), ("content-encoding", "gzip")], r#"{"a":1}"#, 415),
        (&[], "", 422),
    ] {
        for action in ["call", "validate"] {
            let mut request = Request::post(format!("/tools/add/{action}"));
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let answer = send_to(&router, request.body(Body::from(body)).unwrap()).await;
            let expected = if action == "validate" && status == 422 { 200 } else { status };
            assert_eq!(answer.status, expected, "{headers:?} {body}: {}", answer.body);
            let coded = headers.iter().any(|(_, value)| *value == "gzip");
            assert_eq!(answer.header("accept-encoding"), if coded { "identity" } else { "" });
        }
    }
}
