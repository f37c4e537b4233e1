//! Exact bodies of validations and calls, and the order of the checks of a request.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tool_http::{Options, router, router_with};

use crate::client::{post, send_to};
use crate::tools::registry;

fn executing() -> Router {
    router_with(registry(), Options::new().allow_execute(true))
}

#[tokio::test]
async fn returns_call_results() {
    let router = executing();
    for (tool, arguments, body) in [
        (
            "add",
            r#"{"a":1}"#,
            r#"{"content":[{"type":"text","text":"{\"result\":6}"}],"structuredContent":{"result":6},"isError":false,"_meta":{"callId":"…"}}"#,
        ),
        (
            "city",
            "",
            r#"{"content":[{"type":"text","text":"{\"name\":\"Tōkyō\",\"inhabitants\":9007199254740993}"}],"structuredContent":{"name":"Tōkyō","inhabitants":9007199254740993},"isError":false,"_meta":{"callId":"…"}}"#,
        ),
        (
            "echo",
            r#"{"text":"a"}"#,
            r#"{"content":[{"type":"text","text":"a None"}],"isError":false,"_meta":{"callId":"…"}}"#,
        ),
        ("no.thing", "{}", r#"{"content":[],"isError":false,"_meta":{"callId":"…"}}"#),
    ] {
        let answer = post(&router, &format!("/tools/{tool}/call"), arguments).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/json"),
            "{}",
            answer.body
        );
        assert_eq!(answer.masked(), body);
    }
}

#[tokio::test]
async fn returns_call_failures() {
    let router = executing();
    let own = |text: &str| {
        format!(
            r#"{{"content":[{{"type":"text","text":"{text}"}}],"isError":true,"_meta":{{"callId":"…"}}}}"#
        )
    };
    let error = |error: &str, kind: &str, retryable: bool| {
        format!(r#"{{"error":"{error}","kind":"{kind}","retryable":{retryable}}}"#)
    };
    for (tool, arguments, status, body) in [
        ("fail", r#"{"how":"not found"}"#, 404, own("there is no such thing")),
        ("fail", r#"{"how":"conflict"}"#, 409, own("it is sold")),
        ("fail", r#"{"how":"unavailable"}"#, 503, own("the store is down")),
        ("fail", r#"{"how":""}"#, 500, own("it rains")),
        (
            "busy",
            "",
            429,
            r#"{"error":"too many calls at once","kind":"busy","retryable":true,"retryAfterSeconds":1}"#.to_owned(),
        ),
        ("denied", "", 403, error("you may not", "access_denied", false)),
        ("unmet", "", 503, error("no key is configured", "requirements", true)),
        ("late", "", 504, error("it took too long", "timeout", false)),
        (
            "panics",
            "",
            500,
            r#"{"error":"internal error","kind":"internal","retryable":false,"_meta":{"callId":"…"}}"#.to_owned(),
        ),
        (
            "add",
            "{}",
            422,
            concat!(
                r#"{"error":"invalid input for `add`: 1 problem","kind":"invalid_input","retryable":true,"problems":["#,
                r#"{"path":"/a","message":"missing required input: expected an integer","keyword":"required"}],"example":{"a":1}}"#,
            )
            .to_owned(),
        ),
        (
            "echo",
            r#"{"texts":""}"#,
            422,
            concat!(
                r#"{"error":"invalid input for `echo`: 1 problem","kind":"invalid_input","retryable":true,"problems":["#,
                r#"{"path":"/texts","message":"unknown input `texts`: the inputs are `text`, `loud`, `note`","#,
                r#""keyword":"additionalProperties","suggestion":"text"}],"example":{}}"#,
            )
            .to_owned(),
        ),
        (
            "fail",
            "[1,]",
            400,
            concat!(
                r#"{"error":"the arguments for `fail` are not JSON","kind":"invalid_input","retryable":true,"problems":["#,
                r#"{"path":"","message":"trailing comma at line 1 column 4","keyword":"format"}]}"#,
            )
            .to_owned(),
        ),
    ] {
        let answer = post(&router, &format!("/tools/{tool}/call"), arguments).await;
        assert_eq!((answer.status, answer.masked()), (status, body), "{tool} {arguments}");
        assert_eq!(answer.header("retry-after"), if status == 429 { "1" } else { "" });
        assert!(!answer.body.contains("swordfish"));
    }
}

#[tokio::test]
async fn returns_validation_results() {
    // Validation works without execution.
    let router = router(registry());
    for (tool, arguments, status, body) in [
        ("add", r#"{"a":1}"#, 200, r#"{"valid":true}"#),
        ("panics", "", 200, r#"{"valid":true}"#),
        (
            "fail",
            "{}",
            200,
            r#"{"valid":false,"errors":[{"path":"/how","message":"missing required input: expected a string","keyword":"required"}]}"#,
        ),
        (
            "echo",
            r#"{"texts":""}"#,
            200,
            concat!(
                r#"{"valid":false,"errors":[{"path":"/texts","message":"unknown input `texts`: the inputs are `text`, "#,
                r#"`loud`, `note`","keyword":"additionalProperties","suggestion":"text"}]}"#,
            ),
        ),
        (
            "add",
            "\u{feff}{}",
            400,
            r#"{"valid":false,"errors":[{"path":"","message":"the text begins with a byte order mark, which JSON does not allow: leave it out","keyword":"format"}]}"#,
        ),
        ("nope", "{}", 404, r#"{"error":"Tool not found: nope"}"#),
        // Validation checks only the arguments, not injected parameters.
        ("denied", "", 200, r#"{"valid":true}"#),
    ] {
        let answer = post(&router, &format!("/tools/{tool}/validate"), arguments).await;
        assert_eq!((answer.status, answer.body.as_str()), (status, body), "{tool} {arguments}");
    }
}

/// Each request has all faults from its row on; the response reports the first.
#[tokio::test]
async fn checks_requests_in_order() {
    let off = router(registry());
    let on = router_with(registry(), Options::new().allow_execute(true).body_limit(20));
    let long = format!(r#"{{"how":"{}""#, "x".repeat(20));
    let request = |path: &str, kind: &str, body: &str| {
        Request::post(path).header("content-type", kind).body(Body::from(body.to_owned())).unwrap()
    };
    for (router, path, kind, body, status, error) in [
        (&off, "/tools/nope/call?x=1", "text/plain", &*long, 403, "Tool execution is disabled."),
        (&off, "/tools/%ff/call", "text/plain", &*long, 403, "Tool execution is disabled."),
        (&on, "/tools/%ff/call", "text/plain", &*long, 400, "the name of the tool in the path is not UTF-8"),
        (&on, "/tools/nope/call?x=1", "text/plain", &*long, 404, "Tool not found: nope"),
        (
            &on,
            "/tools/fail/call?x=1",
            "text/plain",
            &*long,
            400,
            "unknown query parameter `x`: there are none here",
        ),
        (
            &on,
            "/tools/fail/call",
            "text/plain",
            &*long,
            415,
            "the arguments must be sent as `application/json`, not as `text/plain`",
        ),
        (&on, "/tools/fail/call", "application/json", &*long, 413, "the body is larger than 20 bytes"),
        (
            &on,
            "/tools/fail/call",
            "application/json",
            r#"{"who":1"#,
            400,
            "the arguments for `fail` are not JSON",
        ),
        (
            &on,
            "/tools/fail/call",
            "application/json",
            r#"{"who":1}"#,
            422,
            "invalid input for `fail`: 2 problems",
        ),
    ] {
        let answer = send_to(router, request(path, kind, body)).await;
        let found: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, found["error"].as_str()), (status, Some(error)), "{path} {kind}");
    }
    // A body without a media type is not read, whatever its size.
    let unnamed = Request::post("/tools/fail/call").body(Body::from(long)).unwrap();
    assert_eq!(send_to(&on, unnamed).await.status, 415);
    assert_eq!(post(&off, "/tools/add/call", "").await.body, r#"{"error":"Tool execution is disabled."}"#);
}
