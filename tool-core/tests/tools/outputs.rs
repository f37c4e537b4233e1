//! Return values, failures and panics of tool functions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Semaphore;
use tool_core::failure::Reason;
use tool_core::{
    CallOptions, Content, Context, DynamicTool, Failure, FailureKind, Operation, Output, State,
    ToolDefinition, ToolError, tool,
};

use tool_core::Registry;

use crate::leniency::Events;

#[derive(Serialize, JsonSchema)]
struct Pair {
    left: u8,
    right: Option<u8>,
}

enum Refusal {
    Sold,
}

impl From<Refusal> for ToolError {
    fn from(_: Refusal) -> Self {
        ToolError::conflict("it is sold")
    }
}

/// Nothing.
#[tool(operation = Explain)]
fn nothing() {}

/// A text.
#[tool(operation = Explain)]
fn text() -> &'static str {
    "hello"
}

/// An object.
#[tool(operation = Explain)]
fn pair() -> Pair {
    Pair { left: 1, right: None }
}

/// A number.
#[tool(operation = Explain)]
async fn number() -> Result<u64, std::num::ParseIntError> {
    "18446744073709551615".parse()
}

/// Several blocks.
#[tool(operation = Explain)]
fn content() -> Vec<Content> {
    vec![
        Content::text("a"),
        Content::image([1], "image/png"),
        Content::audio([2], "audio/wav"),
        Content::link("a:b", "b"),
    ]
}

/// A custom output, which has no schema.
#[tool(operation = Explain)]
fn by_hand() -> Result<Output, serde_json::Error> {
    Output::json(&[1, 2])
}

/// Fails with a text.
#[tool(operation = Read)]
fn fails_with_text() -> Result<(), String> {
    Err("no such luck".to_owned())
}

/// Fails with an error of the application.
#[tool(operation = Read)]
async fn fails_with_anyhow() -> anyhow::Result<String> {
    Err(anyhow::anyhow!("/secret/path").context("the store is closed"))
}

/// Fails and says what that means.
#[tool(operation = Read)]
fn fails_with_meaning() -> Result<Pair, Refusal> {
    Err(Refusal::Sold)
}

/// Fails with the error of the framework.
#[tool(operation = Read)]
fn fails_with_tool_error() -> Result<Pair, ToolError> {
    Err(ToolError::not_found("no such pair"))
}

/// Fails with a failure, such as that of a call within.
#[tool(operation = Trigger, destructive = false)]
async fn fails_with_failure(#[inject] registry: Registry, kind: String) -> Result<Pair, Failure> {
    Err(match kind.as_str() {
        "denied" => Failure::new(FailureKind::Denied, "not yours"),
        "busy" => Failure::new(FailureKind::Busy, "too many"),
        "unmet" => Failure::new(FailureKind::Unmet, "no key"),
        "unauthenticated" => Failure::new(FailureKind::Unauthenticated, "who are you"),
        "not JSON" => registry.call_with("number", b"{", &CallOptions::new()).await.result.unwrap_err(),
        "input" => registry.call("blocks", json!({"n": 256})).await.unwrap_err(),
        _ => registry.call("no_such_tool", json!({})).await.unwrap_err(),
    })
}

/// Panics.
#[tool(operation = Read)]
fn panics() -> u8 {
    panic!("a secret of the inside")
}

/// Panics after it has waited, with a payload that panics when it is dropped.
#[tool(operation = Read)]
async fn panics_later() -> u8 {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    tokio::task::yield_now().await;
    std::panic::panic_any(Bomb)
}

/// Blocks its thread.
#[tool(operation = Read, blocking)]
fn blocks(n: u8) -> String {
    format!("{n} on {:?}", std::thread::current().id())
}

/// Blocks its thread, and panics.
#[tool(operation = Read, blocking)]
fn blocks_and_panics() {
    panic!("off thread")
}

struct Gate {
    open: Semaphore,
    begun: Semaphore,
    ended: AtomicUsize,
}

/// Changes something, slowly.
#[tool(operation = Write, destructive = false)]
async fn slow_write(#[inject] gate: State<Gate>) {
    gate.begun.add_permits(1);
    gate.open.acquire().await.unwrap().forget();
    gate.ended.fetch_add(1, Ordering::SeqCst);
    gate.begun.add_permits(1);
}

/// Looks something up, slowly.
#[tool(operation = Read)]
async fn slow_read(#[inject] gate: State<Gate>, #[inject] context: Context) {
    struct Dropped(State<Gate>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.begun.add_permits(1);
        }
    }
    let _dropped = Dropped(gate.clone());
    gate.begun.add_permits(1);
    context.cancelled().await;
    gate.open.acquire().await.unwrap().forget();
    gate.ended.fetch_add(1, Ordering::SeqCst);
}

fn registry() -> (Registry, Arc<Gate>) {
    let gate =
        Arc::new(Gate { open: Semaphore::new(0), begun: Semaphore::new(0), ended: AtomicUsize::new(0) });
    let registry = Registry::builder()
        .linked()
        .select(|tool| tool.source().module == module_path!())
        .shared_state(Arc::clone(&gate))
        .build()
        .unwrap();
    (registry, gate)
}

#[tokio::test]
async fn converts_outputs_by_return_type() {
    let (registry, _) = registry();
    for (name, content, structured) in [
        ("nothing", json!([]), None),
        ("text", json!([{"type":"text","text":"hello"}]), None),
        (
            "pair",
            json!([{"type":"text","text":"{\"left\":1,\"right\":null}"}]),
            Some(r#"{"left":1,"right":null}"#),
        ),
        (
            "number",
            json!([{"type":"text","text":"{\"result\":18446744073709551615}"}]),
            Some(r#"{"result":18446744073709551615}"#),
        ),
        ("by_hand", json!([{"type":"text","text":"{\"result\":[1,2]}"}]), Some(r#"{"result":[1,2]}"#)),
        (
            "content",
            json!([
                {"type":"text","text":"a"},
                {"type":"image","data":"AQ==","mimeType":"image/png"},
                {"type":"audio","data":"Ag==","mimeType":"audio/wav"},
                {"type":"resource_link","uri":"a:b","name":"b"},
            ]),
            None,
        ),
    ] {
        let output = registry.call(name, json!({})).await.unwrap();
        assert_eq!(serde_json::to_value(output.content()).unwrap(), content, "{name}");
        assert_eq!(output.structured().map(serde_json::value::RawValue::get), structured, "{name}");
        let schema = registry.get(name).unwrap().output_schema();
        assert_eq!(
            schema.is_some(),
            structured.is_some() && name != "by_hand",
            "{name} has an output schema if it has structured output"
        );
    }
}

#[tokio::test]
async fn keeps_message_and_reason_of_errors() {
    let (registry, _) = registry();
    for (name, kind, message) in [
        ("fails_with_text", FailureKind::Failed(Reason::Other), "no such luck"),
        ("fails_with_anyhow", FailureKind::Failed(Reason::Other), "the store is closed"),
        ("fails_with_meaning", FailureKind::Failed(Reason::Conflict), "it is sold"),
        ("fails_with_tool_error", FailureKind::Failed(Reason::NotFound), "no such pair"),
    ] {
        let failure = registry.call(name, json!({})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.message()), (kind, message), "{name}");
    }
}

#[tokio::test]
async fn keeps_the_kind_of_returned_failures() {
    let (registry, _) = registry();
    let returned =
        async |kind: &str| registry.call("fails_with_failure", json!({"kind": kind})).await.unwrap_err();
    for (returns, kind, message) in [
        ("denied", FailureKind::Denied, "not yours"),
        ("busy", FailureKind::Busy, "too many"),
        ("unmet", FailureKind::Unmet, "no key"),
        ("input", FailureKind::Input, "invalid input for `blocks`: 1 problem"),
        // These kinds would describe the outer call, so they are mapped.
        ("not JSON", FailureKind::Input, "the arguments for `number` are not JSON"),
        ("absent", FailureKind::Failed(Reason::NotFound), "Tool not found: no_such_tool"),
        ("unauthenticated", FailureKind::Denied, "who are you"),
    ] {
        let failure = returned(returns).await;
        assert_eq!((failure.kind(), failure.message()), (kind, message), "{returns}");
    }
    assert_eq!(returned("input").await.problems()[0].path, "/n");
    assert_eq!(returned("busy").await.retry_after(), Some(Duration::from_secs(1)));
}

/// Books nights.
///
/// ```tool
/// {"from": 3, "to": 5}
/// ```
#[tool(operation = Read)]
fn nights(from: u16, to: u16) -> Result<u16, ToolError> {
    to.checked_sub(from).ok_or_else(|| ToolError::invalid("/to", "is before `from`"))
}

/// Books nights, without an example.
#[tool(operation = Read)]
fn other_nights(from: u16, to: u16) -> Result<u16, ToolError> {
    nights(from, to)
}

/// An input that a tool refuses is reported like one that its schema refuses.
#[tokio::test]
async fn names_the_tool_in_problems_found_by_it() {
    let builder = Registry::builder().linked();
    let registry = builder.select(|tool| ["nights", "other_nights"].contains(&tool.name())).build().unwrap();
    let text = async |tool: &str| {
        registry.call(tool, json!({"from": 9, "to": 7})).await.map(|_| ()).unwrap_err().text()
    };
    assert_eq!(
        text("nights").await,
        "invalid input for `nights`: 1 problem\n- /to: is before `from`\nexample of a valid call: {\"from\":3,\"to\":5}"
    );
    // An example that is made from the schema is not known to be valid for the function.
    assert_eq!(
        text("other_nights").await,
        "invalid input for `other_nights`: 1 problem\n- /to: is before `from`"
    );
}

#[tokio::test]
async fn reports_panics_and_keeps_serving() {
    let (registry, _) = registry();
    for name in ["panics", "panics_later", "blocks_and_panics"] {
        let failure = registry.call(name, json!({})).await.unwrap_err();
        assert_eq!((failure.kind(), failure.message()), (FailureKind::Internal, "internal error"), "{name}");
        assert_eq!(registry.call("text", json!({})).await.unwrap().value(), "hello");
    }
}

#[tokio::test]
async fn runs_blocking_tools_on_another_thread() {
    let (registry, _) = registry();
    let output = registry.call("blocks", json!({"n": 5})).await.unwrap().value();
    let here = format!("5 on {:?}", std::thread::current().id());
    assert!(output.as_str().unwrap().starts_with("5 on ThreadId"));
    assert_ne!(output, here);
}

#[tokio::test]
async fn finishes_abandoned_writes() {
    let (registry, gate) = registry();
    let call = tokio::spawn({
        let registry = registry.clone();
        async move { registry.call("slow_write", json!({})).await.map(|_| ()) }
    });
    gate.begun.acquire().await.unwrap().forget();
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(gate.ended.load(Ordering::SeqCst), 0);
    gate.open.add_permits(1);
    registry.drain().await;
    assert_eq!(gate.ended.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn drops_abandoned_reads() {
    let (registry, gate) = registry();
    let call = tokio::spawn({
        let registry = registry.clone();
        async move { registry.call("slow_read", json!({})).await.map(|_| ()) }
    });
    gate.begun.acquire().await.unwrap().forget();
    call.abort();
    gate.begun.acquire().await.unwrap().forget();
    assert_eq!(gate.ended.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn returns_structured_values_with_content() {
    let schema = json!({"type": "object", "properties": {"rows": {"type": "integer"}}, "required": ["rows"]});
    for (value, good) in [(json!({"rows": 3}), true), (json!({"rows": "three"}), false)] {
        let definition = ToolDefinition::builder("count_rows", "Counts.").operation(Operation::Read);
        let definition = definition.output_schema(schema.clone()).build().unwrap();
        let output = Output::json(&value).unwrap().with_content(vec![Content::text("three rows")]);
        assert_eq!(definition.output_problems(&output).is_empty(), good);
        let tool = DynamicTool::new(definition, move |_, _: serde_json::Value| {
            let output = output.clone();
            async { Ok(output) }
        });
        let registry = Registry::builder().tool(tool).build().unwrap();
        let called = registry.call("count_rows", json!({})).await;
        assert_eq!(called.is_ok(), good);
        if let Ok(output) = called {
            assert_eq!(output.structured().unwrap().get(), r#"{"rows":3}"#);
            assert_eq!(
                (output.value(), output.content().into_owned()),
                (value, vec![Content::text("three rows")])
            );
        }
    }
}

#[tokio::test]
async fn counts_content_in_the_output_size() {
    let definition =
        ToolDefinition::builder("large", "Is large.").operation(Operation::Read).build().unwrap();
    let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async {
        Ok(Output::json(&json!({})).unwrap().with_content(vec![Content::text("x".repeat(2_000))]))
    });
    let registry = Registry::builder().tool(tool).output_limit(1_000).build().unwrap();
    assert!(
        registry.call("large", json!({})).await.unwrap_err().message().contains("no more than 1000 are sent")
    );
}

#[tokio::test]
async fn limits_outputs_to_the_byte() {
    for (limit, is_sent) in [(1_999, false), (2_000, true), (2_001, true)] {
        let definition =
            ToolDefinition::builder("large", "Is large.").operation(Operation::Read).build().unwrap();
        let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async {
            Ok(Output::text("x".repeat(2_000)))
        });
        let registry = Registry::builder().tool(tool).output_limit(limit).build().unwrap();
        assert_eq!(registry.call("large", json!({})).await.is_ok(), is_sent, "{limit}");
    }
}

#[tokio::test]
async fn suggests_inputs_that_limit_the_output() {
    for (inputs, remedy) in [
        (&["name", "pageSize", "cursor"][..], "ask for a part with the inputs `pageSize`, `cursor`"),
        (&["name", "max_rows"][..], "ask for a part with the input `max_rows`"),
        (&["name"][..], "ask for less with the input `name`"),
        (&["a", "b", "c", "d", "e"][..], "ask for less with the inputs `a`, `b`, `c`, `d`, `e`"),
        (
            &["a", "b", "c", "d", "e", "f"][..],
            "ask for less with the inputs `a`, `b`, `c`, `d`, `e` and others",
        ),
        (&[][..], "it has no input to ask for less with"),
    ] {
        let members = inputs.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
        let schema = json!({"type": "object", "properties": serde_json::Map::from_iter(members)});
        let definition = ToolDefinition::builder("large", "Is large.").operation(Operation::Read);
        let definition = definition.input_schema(schema).build().unwrap();
        let tool = DynamicTool::new(definition, |_, _: serde_json::Value| async {
            Ok(Output::text("x".repeat(2_000)))
        });
        let registry = Registry::builder().tool(tool).output_limit(1_000).build().unwrap();
        let failure = registry.call("large", json!({})).await.unwrap_err();
        assert_eq!(
            failure.message(),
            format!("the output of `large` has 2000 bytes, and no more than 1000 are sent: {remedy}")
        );
    }
}

#[derive(Serialize, JsonSchema)]
struct Measured {
    value: f64,
    single: f32,
    note: Option<String>,
    #[schemars(range(max = 9))]
    digit: u8,
}

/// Measures.
#[tool(operation = Transform)]
fn measured(value: Option<f64>, single: Option<f32>, digit: u8) -> Measured {
    Measured { value: value.unwrap_or(f64::NAN), single: single.unwrap_or(f32::INFINITY), note: None, digit }
}

/// Halves a number.
#[tool(operation = Transform)]
fn halved(value: Option<f32>) -> Vec<Option<f32>> {
    vec![value.map(|value| value / 2.0)]
}

/// Counts what there is.
#[tool(operation = Transform)]
fn ratio(of: f64, by: f64) -> f64 {
    of / by
}

#[derive(Serialize, JsonSchema)]
struct Rating {
    #[schemars(range(max = 9))]
    digit: u8,
}

/// Rates.
#[tool(operation = Transform)]
fn rated(digit: u8) -> Rating {
    Rating { digit }
}

/// A shape, whose members are decoded only once its kind is known.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Ball { radius: f32 },
}

/// Doubles a radius.
#[tool(operation = Transform)]
fn doubled(shape: Shape) -> f32 {
    let Shape::Ball { radius } = shape;
    radius * 2.0
}

fn registry_of_numbers() -> Registry {
    let builder = crate::builder_of(module_path!());
    let names = ["measured", "halved", "ratio", "rated", "doubled"];
    builder.select(move |tool| names.contains(&tool.name())).build().unwrap()
}

/// Applies to debug and release builds.
#[tokio::test]
async fn rejects_infinite_numbers_and_broken_limits() {
    let registry = registry_of_numbers();
    let kind = |name: &'static str, arguments: serde_json::Value| {
        let registry = registry.clone();
        async move { registry.call(name, arguments).await.map(|_| ()).map_err(|failure| failure.kind()) }
    };
    assert_eq!(kind("measured", json!({"value": 1.5, "single": 3.4e38, "digit": 9})).await, Ok(()));
    for arguments in [
        json!({"single": 1, "digit": 1}),
        json!({"value": 1, "digit": 1}),
        json!({"value": 1, "single": 1, "digit": 10}),
    ] {
        assert_eq!(kind("measured", arguments.clone()).await, Err(FailureKind::Internal), "{arguments}");
    }
    // Types with neither floats nor nulls.
    assert_eq!(kind("rated", json!({"digit": 9})).await, Ok(()));
    assert_eq!(kind("rated", json!({"digit": 10})).await, Err(FailureKind::Internal));
    assert_eq!(kind("ratio", json!({"of": 1, "by": 4})).await, Ok(()));
    assert_eq!(kind("ratio", json!({"of": 1, "by": 0})).await, Err(FailureKind::Internal));
    assert_eq!(kind("halved", json!({})).await, Ok(()));
}

#[tokio::test]
async fn logs_where_a_number_is_not_finite() {
    let events = Events::default();
    let _logging = tracing::subscriber::set_default(events.clone());
    let registry = registry_of_numbers();
    // A value that is not `null` is not in the log, and has no note.
    let measured =
        r#"broken="type at \"/value\" (it is null, as NaN and infinity are in JSON), maximum at \"/digit\"""#;
    let ratio = r#"broken="type at \"/result\" (it is null, as NaN and infinity are in JSON)""#;
    for (tool, arguments, expected) in [
        ("measured", json!({"single": 1, "digit": 10}), measured),
        ("ratio", json!({"of": 1, "by": 0}), ratio),
    ] {
        registry.call(tool, arguments).await.unwrap_err();
        let logged = events.0.lock().unwrap().drain(..).collect::<String>();
        assert!(logged.contains("output does not match its schema") && logged.contains(expected), "{logged}");
    }
}

#[tokio::test]
async fn rejects_numbers_beyond_their_type() {
    let registry = registry_of_numbers();
    for (number, is_taken) in [
        ("1e38", true),
        ("-3.4028234663852886e38", true),
        ("3.4028235e38", true),
        ("3.4028236e38", false),
        ("1e39", false),
        ("-1e39", false),
    ] {
        let arguments = format!("{{\"value\": {number}}}");
        let result = registry.call_with("halved", arguments.as_bytes(), &CallOptions::new()).await.result;
        assert_eq!(
            result.map(|_| ()).map_err(|failure| failure.kind()),
            if is_taken { Ok(()) } else { Err(FailureKind::Input) },
            "{number}"
        );
        if !is_taken {
            let arguments = format!(r#"{{"shape": {{"kind": "Ball", "radius": {number}}}}}"#);
            let failure = registry
                .call_with("doubled", arguments.as_bytes(), &CallOptions::new())
                .await
                .result
                .unwrap_err();
            assert_eq!(failure.kind(), FailureKind::Input, "{number}");
        }
    }
}

/// A message of MCP over stdio is one line, and so is an event over HTTP.
#[test]
fn writes_raw_json_on_one_line() {
    let value =
        serde_json::value::RawValue::from_string("{\"a\":\r\n [1,\n2], \"b\": \"\\n\"}".to_owned()).unwrap();
    let output = Output::json(&value).unwrap();
    assert_eq!(output.structured().unwrap().get(), r#"{"a": [1,2], "b": "\n"}"#);
}
