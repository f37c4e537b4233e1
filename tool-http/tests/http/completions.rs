//! Completion of input values.

use axum::Router;
use serde_json::{Value, json};
use tool_core::authentication::Bearer;
use tool_core::completion::CompletionRequest;
use tool_core::{Principal, Registry, tool};
use tool_http::{Options, router_with};

use crate::client::{get, post, send_to};

fn streets(request: &CompletionRequest<'_>) -> Vec<String> {
    let streets: &[&str] = match request.argument("town") {
        Some("Rome") => &["Via Appia", "Via Veneto"],
        _ => &[],
    };
    streets.iter().filter(|street| street.starts_with(request.text())).map(ToString::to_string).collect()
}

async fn own(request: &CompletionRequest<'_>) -> Vec<String> {
    tokio::task::yield_now().await;
    request.principal().id().map(|user| format!("{user}/shopping")).into_iter().collect()
}

fn fails(_: &str) -> Vec<String> {
    panic!("the towns are gone")
}

/// Finds a house.
#[tool(operation = Read)]
fn find_house(
    /// Where.
    town: String,
    /// And there.
    #[arg(complete = streets)]
    street: String,
    /// Whether it is lived in.
    lived_in: Option<bool>,
) -> String {
    let _ = lived_in;
    format!("{street}, {town}")
}

/// Reads a list.
#[tool(operation = Read, permission = "lists.read")]
fn read_list(
    /// Which one.
    #[arg(complete = own)]
    name: String,
) -> String {
    name
}

/// Counts towns.
#[tool(operation = Read)]
fn count_towns(
    /// How they begin.
    #[arg(complete = fails)]
    prefix: String,
) -> String {
    prefix
}

fn router(options: Options) -> Router {
    let registry = Registry::builder().linked().select(|tool| tool.source().module == module_path!());
    router_with(registry.build().unwrap(), options)
}

fn executing() -> Router {
    router(Options::new().allow_execute(true))
}

#[tokio::test]
async fn completes_values() {
    let router = executing();
    for (body, values) in [
        (
            json!({"argument": {"name": "street", "value": "Via A"}, "context": {"arguments": {"town": "Rome"}}}),
            json!(["Via Appia"]),
        ),
        (
            json!({"argument": {"name": "street", "value": ""}, "context": {"arguments": {"town": "Rome"}}}),
            json!(["Via Appia", "Via Veneto"]),
        ),
        (json!({"argument": {"name": "street", "value": "Via"}}), json!([])),
        (json!({"argument": {"name": "lived_in", "value": "t"}, "context": {}}), json!(["true"])),
    ] {
        let answer = post(&router, "/tools/find_house/complete", body.to_string()).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/json"),
            "{}",
            answer.body
        );
        let expected = json!({"values": values, "total": values.as_array().unwrap().len(), "hasMore": false});
        assert_eq!(serde_json::from_str::<Value>(&answer.body).unwrap(), expected, "{body}");
    }
}

#[tokio::test]
async fn marks_inputs_with_completion() {
    let answer = get(&router(Options::new()), "/tools/find_house/inputs").await;
    let inputs: Value = serde_json::from_str(&answer.body).unwrap();
    let completed: Vec<&Value> = inputs.as_array().unwrap().iter().map(|input| &input["completes"]).collect();
    assert_eq!(completed, [&Value::Null, &json!(true), &Value::Null]);
}

#[tokio::test]
async fn reports_invalid_completion_requests() {
    let router = executing();
    let typed = |name: &str| json!({"argument": {"name": name, "value": ""}}).to_string();
    for (path, body, status, says) in [
        ("/tools/no_house/complete", typed("street"), 404, "Tool not found: no_house"),
        ("/tools/find_house/complete", typed("stret"), 404, "unknown input `stret`"),
        ("/tools/find_house/complete?x=1", typed("street"), 400, "unknown query parameter `x`"),
        ("/tools/find_house/complete", "{".to_owned(), 400, "EOF"),
        ("/tools/find_house/complete", "{}".to_owned(), 400, "missing field `argument`"),
        (
            "/tools/find_house/complete",
            r#"{"argument":{"name":"street","value":""},"others":{}}"#.to_owned(),
            400,
            "unknown field `others`",
        ),
        (
            "/tools/find_house/complete",
            r#"[{"name":"street","value":""}]"#.to_owned(),
            400,
            "expected an object",
        ),
        ("/tools/find_house/complete", r#"{"argument":["street",""]}"#.to_owned(), 400, "expected an object"),
        (
            "/tools/find_house/complete",
            r#"{"argument":{"name":"street","value":""},"context":[{}]}"#.to_owned(),
            400,
            "expected an object",
        ),
        (
            "/tools/find_house/complete",
            r#"{"argument":{"name":"street","name":"town","value":""}}"#.to_owned(),
            400,
            "duplicate field `name`",
        ),
        ("/tools/count_towns/complete", typed("prefix"), 500, "internal error"),
    ] {
        let answer = post(&router, path, body).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(answer.body.contains(says), "{path}: {}", answer.body);
    }
    assert_eq!(get(&router, "/tools/find_house/complete").await.status, 405);
}

#[tokio::test]
async fn protects_completions_like_calls() {
    let typed = json!({"argument": {"name": "name", "value": ""}}).to_string();
    let off = post(&router(Options::new()), "/tools/read_list/complete", typed.clone()).await;
    assert_eq!((off.status, off.body.as_str()), (403, r#"{"error":"Tool execution is disabled."}"#));
    let denied = post(&executing(), "/tools/read_list/complete", typed.clone()).await;
    assert_eq!(denied.status, 403, "{}", denied.body);
    assert!(denied.body.contains("`lists.read`"), "{}", denied.body);

    let ada = Principal::new("ada").grant("lists.read");
    let options = Options::new()
        .allow_execute(true)
        .authenticator(Bearer::new().token("sesame-opens-door-1", ada).unwrap());
    let router = router(options);
    let unknown = post(&router, "/tools/read_list/complete", typed.clone()).await;
    assert_eq!((unknown.status, unknown.header("www-authenticate")), (401, "Bearer"));
    let request = axum::http::Request::post("/tools/read_list/complete")
        .header("content-type", "application/json")
        .header("authorization", "Bearer sesame-opens-door-1");
    let cached = send_to(&router, request.body(typed.into()).unwrap()).await;
    assert_eq!(
        (cached.status, cached.body.as_str()),
        (200, r#"{"values":["ada/shopping"],"total":1,"hasMore":false}"#)
    );
}
