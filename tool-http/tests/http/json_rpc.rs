//! The list of tools over JSON-RPC.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tool_core::{Registry, Tool};
use tool_http::router;

use crate::client::{get, post, send_to};
use crate::tools::registry;

const LIST: &str = concat!(
    r#""result":{"tools":[{"name":"no.thing","description":"Does nothing.","#,
    r#""inputSchema":{"type":"object","properties":{},"additionalProperties":false}}]}}"#,
);

fn nothing() -> Router {
    router(Registry::builder().linked().select(|tool| tool.name() == "no.thing").build().unwrap())
}

#[tokio::test]
async fn omits_the_id_for_get() {
    let router = nothing();
    let answer = get(&router, "/mcp/tools/list").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.body, format!(r#"{{"jsonrpc":"2.0",{LIST}"#));
    // The body of `GET` is ignored.
    let request = Request::get("/mcp/tools/list").body(Body::from("not JSON")).unwrap();
    assert_eq!(send_to(&router, request).await.body, answer.body);
    let all = get(&router_of_all(), "/mcp/tools/list").await.body;
    assert_eq!(all.matches(r#""inputSchema""#).count(), 13);
    assert!(!all.contains("outputSchema"));
}

fn router_of_all() -> Router {
    router(registry())
}

#[tokio::test]
async fn keeps_the_type_of_the_id() {
    let router = nothing();
    for id in ["1", "\"1\"", "0", "-7", "1.0", "1e3", "9007199254740993", "null", "\"\\u00e9\"", "\"\""] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{}}}}"#);
        let answer = post(&router, "/mcp/tools/list", body).await;
        assert_eq!(
            (answer.status, answer.body),
            (200, format!(r#"{{"jsonrpc":"2.0","id":{id},{LIST}"#)),
            "{id}"
        );
    }
}

#[tokio::test]
async fn rejects_invalid_requests() {
    let router = nothing();
    let parse = (-32700, "Parse error");
    let invalid = (-32600, "Invalid Request");
    let method = (-32601, "Method not found");
    for (body, id, (code, message)) in [
        ("", "null", parse),
        ("{", "null", parse),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"} x"#, "null", parse),
        ("\u{feff}{}", "null", parse),
        ("[]", "null", invalid),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#, "null", invalid),
        ("1", "null", invalid),
        ("{}", "null", invalid),
        (r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#, "null", invalid),
        (r#"{"jsonrpc":"2.0","id":true,"method":"tools/list"}"#, "null", invalid),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#, "null", invalid),
        (r#"{"id":1,"method":"tools/list"}"#, "null", invalid),
        (r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#, "1", invalid),
        (r#"{"jsonrpc":2.0,"id":1,"method":"tools/list"}"#, "1", invalid),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "1", invalid),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":7}"#, "1", invalid),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#, "1", invalid),
        (r#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#, "\"a\"", method),
        (r#"{"jsonrpc":"2.0","id":1,"method":"Tools/List"}"#, "1", method),
    ] {
        let answer = post(&router, "/mcp/tools/list", body).await;
        let expected =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#);
        assert_eq!((answer.status, answer.body), (200, expected), "{body}");
    }
    let not_utf_8 = post(&router, "/mcp/tools/list", vec![b'"', 0xff, b'"']).await;
    assert!(not_utf_8.body.contains("-32700"), "{}", not_utf_8.body);
    // Notifications have no response.
    let answer = post(&router, "/mcp/tools/list", r#"{"jsonrpc":"2.0","method":"tools/list"}"#).await;
    assert_eq!((answer.status, &*answer.body), (204, ""));
    let request = Request::post("/mcp/tools/list").body(Body::from("{}")).unwrap();
    assert_eq!(send_to(&router, request).await.status, 415);
}

#[tokio::test]
async fn hides_the_cause_of_provider_failures() {
    let router = router(|| Err::<Vec<Arc<dyn Tool>>, _>(std::io::Error::other("swordfish")));
    let error = r#""error":{"code":-32603,"message":"Internal error discovering tools"}}"#;
    let answer = get(&router, "/mcp/tools/list").await;
    assert_eq!((answer.status, answer.body), (200, format!(r#"{{"jsonrpc":"2.0",{error}"#)));
    let body = r#"{"jsonrpc":"2.0","id":"x","method":"tools/list"}"#;
    let answer = post(&router, "/mcp/tools/list", body).await;
    assert_eq!((answer.status, answer.body), (200, format!(r#"{{"jsonrpc":"2.0","id":"x",{error}"#)));
}
