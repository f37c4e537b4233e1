//! Exact bodies of discovery.

use axum::Router;
use tool_core::Registry;
use tool_http::router;

use crate::client::get;
use crate::tools::registry;

const NAMES: [&str; 13] = [
    "add",
    "busy",
    "city",
    "denied",
    "echo",
    "fail",
    "late",
    "no.thing",
    "panics",
    "small",
    "unmet",
    "wait_reading",
    "wait_writing",
];

fn some(names: &'static [&'static str]) -> Router {
    let chosen = Registry::builder().linked().select(|tool| names.contains(&tool.name()));
    router(chosen.state(crate::tools::Progress::default()).build().unwrap())
}

#[tokio::test]
async fn lists_every_tool_by_name() {
    let answer = get(&router(registry()), "/tools").await;
    let tools: Vec<serde_json::Value> = serde_json::from_str(&answer.body).unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
}

#[tokio::test]
async fn renders_the_list_exactly() {
    let answer = get(&some(&["wait_writing", "city", "add"]), "/tools").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(
        answer.body,
        concat!(
            r#"[{"name":"add","description":"Adds two numbers.","annotations":{"readOnlyHint":true,"#,
            r#""destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"operation":"transform"},"#,
            r#"{"name":"city","description":"The largest city.","annotations":{"readOnlyHint":true,"#,
            r#""destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"title":"Largest city","#,
            r#""operation":"read"},"#,
            r#"{"name":"wait_writing","description":"Writes and waits.","annotations":{"readOnlyHint":false,"#,
            r#""destructiveHint":true,"idempotentHint":false,"openWorldHint":false},"operation":"write"}]"#,
        )
    );
}

#[tokio::test]
async fn renders_an_empty_list() {
    let answer = get(&router(Registry::builder().allow_empty().build().unwrap()), "/tools").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "[]"));
}

#[tokio::test]
async fn renders_a_tool_exactly() {
    let registry = registry();
    let router = router(registry.clone());
    let digest = |name| registry.get(name).unwrap().digest();
    let answer = get(&router, "/tools/add").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(
        answer.body,
        [
            r#"{"name":"add","description":"Adds two numbers.","annotations":{"readOnlyHint":true,"#,
            r#""destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"inputSchema":{"type":"object","#,
            r#""properties":{"a":{"type":"integer","description":"First."},"#,
            r#""b":{"type":"integer","description":"Second.","default":5,"examples":[7]}},"#,
            r#""required":["a"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"result":"#,
            r#"{"type":"integer"}},"#,
            r#""required":["result"],"additionalProperties":false},"operation":"transform","modifying":false,"#,
            &format!(r#""idempotent":true,"digest":"{}"}}"#, digest("add")),
        ]
        .concat()
    );
    let answer = get(&router, "/tools/no.thing").await;
    assert_eq!(
        answer.body,
        [
            r#"{"name":"no.thing","description":"Does nothing.","annotations":{"readOnlyHint":true,"#,
            r#""destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"inputSchema":{"type":"object","#,
            r#""properties":{},"additionalProperties":false},"operation":"explain","modifying":false,"#,
            &format!(r#""idempotent":true,"digest":"{}"}}"#, digest("no.thing")),
        ]
        .concat()
    );
    let answer = get(&router, "/tools/city").await;
    assert!(
        answer.body.starts_with(r#"{"name":"city","title":"Largest city","description":"The largest city.""#),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn renders_inputs_exactly() {
    let answer = get(&router(registry()), "/tools/echo/inputs").await;
    assert_eq!(
        answer.body,
        concat!(
            r#"[{"name":"text","type":"string","description":"The text.","required":false},"#,
            r#"{"name":"loud","type":"boolean","description":"Whether it is repeated in capitals.","required":false,"#,
            r#""default":false},"#,
            r#"{"name":"note","type":"union","description":"Told apart from nothing when it is `null`.","#,
            r#""required":false,"variants":[{"type":"string"},{"type":"null"}]}]"#,
        )
    );
    assert_eq!(get(&router(registry()), "/tools/no.thing/inputs").await.body, "[]");
}

#[tokio::test]
async fn filters_the_list() {
    let router = router(registry());
    let names = async |query: &str| {
        let answer = get(&router, &format!("/tools?{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let tools: Vec<serde_json::Value> = serde_json::from_str(&answer.body).unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("operation=transform").await, ["add", "echo", "small"]);
    assert_eq!(names("operation=write&operation=explain").await, ["no.thing", "wait_writing"]);
    assert_eq!(names("operation=trigger").await, [""; 0]);
    assert_eq!(names("").await, NAMES);

    let full = get(&router, "/tools?operation=explain&detail=full").await.body;
    assert_eq!(full, format!("[{}]", get(&router, "/tools/no.thing").await.body));
    assert_eq!(get(&router, "/tools?detail=summary").await.body, get(&router, "/tools").await.body);
}

#[tokio::test]
async fn rejects_unknown_query_parameters() {
    let router = router(registry());
    for (path, error) in [
        (
            "/tools?oper=read",
            "unknown query parameter `oper`: known are cursor, detail, limit, operation, profile, q, tag, unmet",
        ),
        (
            "/tools?operation=Read",
            "unknown value `Read` of `operation`: known are explain, read, transform, trigger, write",
        ),
        ("/tools?detail=all", "unknown value `all` of `detail`: known are full, summary"),
        (
            "/tools?%ff=1",
            "unknown query parameter `\u{fffd}`: known are cursor, detail, limit, operation, profile, q, tag, unmet",
        ),
        ("/tools?unmet=yes", "unknown value `yes` of `unmet`: known are show, hide, only"),
        ("/tools?tag=x", "unknown value `x` of `tag`: there are none"),
        ("/tools?limit=0", "unknown value `0` of `limit`: expected 1 to 1000"),
        ("/tools?limit=1001", "unknown value `1001` of `limit`: expected 1 to 1000"),
        ("/tools?limit=-1", "unknown value `-1` of `limit`: expected 1 to 1000"),
        ("/tools?limit=1&limit=1", "the query parameter `limit` is given twice"),
        ("/tools?cursor=a&cursor=b", "the query parameter `cursor` is given twice"),
        ("/tools?limit=1&cursor=a&cursor=a", "the query parameter `cursor` is given twice"),
        ("/tools?q=a&q=b", "the query parameter `q` is given twice"),
        (
            "/tools?profile=opnai",
            "unknown value `opnai` of `profile`: known are mcp, no-ref, openai, openai-strict, anthropic, gemini, native",
        ),
        ("/tools/add?detail=full", "unknown query parameter `detail`: known is profile"),
        (
            "/tools/add?profile=",
            "unknown value `` of `profile`: known are mcp, no-ref, openai, openai-strict, anthropic, gemini, native",
        ),
        ("/tools/add?profile=mcp&profile=mcp", "the query parameter `profile` is given twice"),
        ("/mcp/tools/list?cursor=a", "unknown query parameter `cursor`: there are none here"),
        ("/openapi.json?x", "unknown query parameter `x`: known is version"),
        ("/tools/add/inputs?a", "unknown query parameter `a`: there are none here"),
    ] {
        let answer = get(&router, path).await;
        assert_eq!((answer.status, answer.body), (400, format!(r#"{{"error":"{error}"}}"#)), "{path}");
    }
}
