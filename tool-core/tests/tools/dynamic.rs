//! Dynamic tools: their definitions, and their calls compared with those of declared tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::address::Surface;
use tool_core::definition::{DefinitionFault, ToolDefinitionBuilder};
use tool_core::schema::SchemaFault;
use tool_core::{
    Annotations, BoxFuture, BuildError, CallOptions, Context, DynamicTool, Failure, FailureKind, Operation,
    Output, Permission, Principal, Registry, Tool, ToolDefinition, ToolError, tool,
};

/// Adds, declared: the reference for dynamic tools.
#[tool(operation = Transform)]
fn declared_sum(
    /** First. */
    a: i32,
    /** Second. */
    b: Option<i32>,
) -> i32 {
    a + b.unwrap_or(0)
}

#[derive(Deserialize)]
struct Sum {
    a: i32,
    b: Option<i32>,
}

/// Adds, as a dynamic tool.
fn dynamic_sum() -> DynamicTool {
    let integer = json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX});
    let definition = ToolDefinition::builder("dynamic_sum", "Adds, by hand.")
        .operation(Operation::Transform)
        .input_schema(json!({
            "type": "object",
            "properties": {"a": integer, "b": integer},
            "required": ["a"],
            "additionalProperties": false,
        }))
        .output_schema(json!({"type": "object", "properties": {"result": integer}, "required": ["result"]}));
    DynamicTool::new(definition.build().unwrap(), |_, Sum { a, b }| async move {
        Output::json(&(a + b.unwrap_or(0))).map_err(|_| Failure::internal())
    })
}

/// Returns a tool without inputs that runs a function.
fn tool_without_inputs<F>(
    definition: ToolDefinitionBuilder,
    run: impl Fn(Context) -> F + Send + Sync + 'static,
) -> DynamicTool
where
    F: Future<Output = Result<Output, Failure>> + Send + 'static,
{
    DynamicTool::new(definition.build().unwrap(), move |context, _: Value| run(context))
}

#[track_caller]
fn named(name: &str) -> ToolDefinitionBuilder {
    ToolDefinition::builder(name, "Does something.")
}

fn registry(tool: impl Tool + 'static) -> Registry {
    Registry::builder().tool(tool).build().unwrap()
}

#[tokio::test]
async fn validates_arguments_like_a_declared_tool() {
    let registry = Registry::builder()
        .linked()
        .select(|tool| ["declared_sum", "dynamic_sum"].contains(&tool.name()))
        .tool(dynamic_sum())
        .build()
        .unwrap();
    for arguments in [
        "",
        "{}",
        r#"{"a": 1}"#,
        r#"{"a": 1, "b": null}"#,
        r#"{"a": 1.0, "b": 1e3}"#,
        r#"{"a": "1", "c": 5, "bb": []}"#,
        r#"{"a": 9223372036854775808}"#,
        r#"{"a": 1, "a": 2}"#,
        "[1]",
        "{",
        "\u{feff}{}",
        "null",
    ] {
        let outcome = |name: &'static str| {
            let registry = &registry;
            async move {
                let reply = registry.call_with(name, arguments.as_bytes(), &CallOptions::new()).await.result;
                let problems = |failure: Failure| {
                    let problems = failure.problems().iter().map(ToString::to_string).collect::<Vec<_>>();
                    (failure.kind(), problems)
                };
                let validated = registry.validate(name, arguments.as_bytes()).is_ok();
                (
                    reply.map(|output| output.structured().unwrap().get().to_owned()).map_err(problems),
                    validated,
                )
            }
        };
        assert_eq!(outcome("dynamic_sum").await, outcome("declared_sum").await, "{arguments}");
    }
}

#[test]
fn rejects_invalid_names() {
    let longest = "x".repeat(128);
    for name in ["a", "get_weather", "a.b-C_9", "...a", longest.as_str()] {
        assert_eq!(named(name).build().unwrap().name(), name);
    }
    let too_long = "x".repeat(129);
    for name in [
        "",
        "a b",
        "a/b",
        "..",
        ".",
        "\u{1f600}",
        "\u{5d0}\u{5d1}",
        "p\u{430}y",
        "a\n",
        "a\u{0}",
        too_long.as_str(),
    ] {
        let error = named(name).build().unwrap_err();
        assert_eq!((error.name(), error.fault()), (name, &DefinitionFault::Name));
        assert!(error.to_string().contains("`A-Z`, `a-z`, `0-9`, `_`, `.` and `-`"), "{error}");
        assert!(error.to_string().is_ascii() || name == too_long, "{error}");
    }
}

#[test]
fn rejects_contradictory_annotations() {
    let hints = |read_only_hint, destructive_hint, idempotent_hint| Annotations {
        read_only_hint,
        destructive_hint,
        idempotent_hint,
        open_world_hint: None,
    };
    let build = |operation: Option<Operation>, hints: Annotations| {
        let builder = named("hinted").annotations(hints);
        operation.into_iter().fold(builder, ToolDefinitionBuilder::operation).build()
    };
    for (operation, given) in [
        (Operation::Read, hints(Some(false), None, None)),
        (Operation::Transform, hints(None, Some(true), None)),
        (Operation::Explain, hints(None, None, Some(false))),
        (Operation::Write, hints(Some(true), None, None)),
    ] {
        let error = build(Some(operation), given).unwrap_err();
        assert!(matches!(error.fault(), DefinitionFault::Contradiction(_)), "{operation}: {error}");
    }
    let tool = build(Some(Operation::Write), hints(None, None, None)).unwrap();
    assert_eq!(
        (tool.modifies(), tool.destructive(), tool.idempotent(), tool.open_world()),
        (true, true, false, true)
    );
    // Hints without an operation are published, but not trusted.
    let tool = build(None, hints(Some(true), Some(false), None)).unwrap();
    assert_eq!(tool.annotations().unwrap().read_only_hint, Some(true));
    assert!(tool.modifies() && tool.destructive());
    for description in ["", " \n"] {
        let error = ToolDefinition::builder("silent", description).build().unwrap_err();
        assert_eq!(*error.fault(), DefinitionFault::NoDescription);
    }
    let error = ToolDefinition::builder("verbose", "a".repeat(100_000)).build().unwrap_err();
    assert_eq!(*error.fault(), DefinitionFault::LongDescription { most: 32_768 });
}

#[test]
fn requires_the_inputs_as_path_variables() {
    let build = |operation, properties: Value, required: Value, path: &str| {
        named("note")
            .operation(operation)
            .input_schema(json!({"type": "object", "properties": properties, "required": required}))
            .path(path)
            .build()
    };
    let both = || json!({"id": {"type": "integer"}, "page": {"type": "string"}});
    let note = build(Operation::Read, both(), json!(["id", "page"]), "note/{id}/{page}").unwrap();
    assert_eq!(Surface::of(&note).address().unwrap().to_string(), "note/{id}/{page}");
    assert!(note.inputs().iter().all(|input| input.locator));
    assert!(build(Operation::Explain, json!({}), json!([]), "notes").is_ok());
    for (operation, properties, required, path) in [
        (Operation::Write, both(), json!(["id", "page"]), "note/{id}/{page}"),
        (Operation::Read, both(), json!(["id", "page"]), "note/{id}"),
        (Operation::Read, both(), json!(["id", "page"]), "note/{id}/{page}/{other}"),
        (Operation::Read, both(), json!(["id"]), "note/{id}/{page}"),
        (Operation::Read, json!({"id": {"type": "number"}}), json!(["id"]), "note/{id}"),
        // Addresses are logged.
        (Operation::Read, json!({"id": {"type": "string", "writeOnly": true}}), json!(["id"]), "note/{id}"),
        (Operation::Read, json!({}), json!([]), "a//b"),
        (Operation::Read, json!({}), json!([]), "../etc"),
    ] {
        let error = build(operation, properties, required, path).unwrap_err();
        assert!(matches!(error.fault(), DefinitionFault::Path(_)), "{path}: {error}");
    }
}

#[test]
fn keeps_or_rejects_schemas() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "title": "Order",
        "properties": {
            "size": {"type": ["string", "null"], "enum": ["S", "M", null], "x-order": 1},
            "parts": {"type": "array", "items": {"$ref": "#/definitions/Part"}},
        },
        "definitions": {"Part": {"type": "object", "properties": {"parts": {"type": "array", "items": {"$ref": "#/definitions/Part"}}}}},
    });
    let tool = named("order").input_schema(schema.clone()).output_schema(schema.clone()).build().unwrap();
    assert_eq!(tool.input_schema().to_string(), schema.to_string());
    assert_eq!(tool.output_schema().unwrap().to_string(), schema.to_string());
    let inputs = tool.inputs();
    assert_eq!(
        (inputs[0].name.as_deref(), inputs[0].kind, inputs[0].required),
        (Some("size"), "string", Some(false))
    );
    let part = inputs[1].items.as_ref().unwrap();
    assert_eq!(part.kind, "map");
    assert_eq!(part.properties[0].items.as_ref().unwrap().recursive.as_deref(), Some("Part"));

    let remote = json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}});
    let error = named("remote").input_schema(remote.clone()).build().unwrap_err();
    let DefinitionFault::InputSchema(error) = error.fault() else { panic!("{error}") };
    assert_eq!(*error.fault(), SchemaFault::RemoteReference("file:///etc/passwd".to_owned()));
    let error = named("remote").output_schema(remote).build().unwrap_err();
    assert!(matches!(error.fault(), DefinitionFault::OutputSchema(_)));
    assert_eq!(
        error.to_string(),
        "tool `remote`: its output schema was refused: at /properties/a/$ref: `$ref` leads to another document, \
         `file:///etc/passwd`: only references that begin with `#` are followed"
    );

    let counted = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let counted = named("counted").input_schema(counted).example(json!({"n": "one"}));
    let error = counted.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool `counted`: one of its examples is invalid: /n: expected an integer, got the string `one`"
    );
}

#[test]
fn limits_descriptions_of_mutually_recursive_types() {
    let entangled = |types: usize| {
        let names: Vec<String> = (0..types).map(|n| format!("T{n}")).collect();
        let reference = |name: &String| (name.clone(), json!({"$ref": format!("#/$defs/{name}")}));
        let all: serde_json::Map<String, Value> = names.iter().map(reference).collect();
        let define =
            |name: &String| (name.clone(), json!({"type": "object", "properties": all, "required": names}));
        let definitions: serde_json::Map<String, Value> = names.iter().map(define).collect();
        let first = json!({"a": {"$ref": "#/$defs/T0"}});
        named("entangled")
            .input_schema(
                json!({"type": "object", "properties": first, "required": ["a"], "$defs": definitions}),
            )
            .build()
    };
    let begin = Instant::now();
    // Seven types have 13,700 paths without repetition.
    let tool = entangled(7).unwrap();
    assert!(serde_json::to_string(tool.inputs()).unwrap().len() < 10_000_000);
    assert!(tool.example().to_string().len() < 1_000_000);
    let DefinitionFault::InputSchema(error) = entangled(30).unwrap_err().fault().clone() else {
        panic!("allowed")
    };
    assert_eq!(*error.fault(), SchemaFault::TooManySchemas { most: 20_000 });
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn rejects_outputs_that_break_their_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    for (output, sent) in [
        (Output::json(&json!({"n": 1})), true),
        (Output::json(&json!({"n": "secret"})), false),
        (Output::json(&json!({})), false),
        (Output::json(&5), false),
        (Ok(Output::text("{\"n\": 1}")), false),
        (Ok(Output::empty()), false),
    ] {
        let output = output.unwrap();
        let definition = named("promising").output_schema(schema.clone());
        let result = registry(tool_without_inputs(definition, {
            let output = output.clone();
            move |_| std::future::ready(Ok(output.clone()))
        }))
        .call("promising", json!({}))
        .await;
        match result {
            Ok(_) => assert!(sent, "{output:?}"),
            Err(failure) => {
                assert!(!sent, "{output:?}");
                assert_eq!((failure.kind(), failure.message()), (FailureKind::Internal, "internal error"));
            }
        }
    }
}

#[tokio::test]
async fn contains_panics() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    let tools = [
        tool_without_inputs(named("at_once"), |_| -> std::future::Ready<_> {
            panic!("before there is a future")
        }),
        tool_without_inputs(named("later"), |_| async {
            tokio::task::yield_now().await;
            std::panic::panic_any(Bomb)
        }),
    ];
    for tool in tools {
        let name = tool.definition().name().to_owned();
        let registry = registry(tool);
        for _ in 0..2 {
            let failure = registry.call(&name, json!({})).await.unwrap_err();
            assert_eq!(failure.kind(), FailureKind::Internal, "{name}");
        }
    }
}

#[tokio::test]
async fn keeps_kind_and_message_of_failures() {
    let tool =
        tool_without_inputs(named("gone"), |_| async { Err(ToolError::not_found("it is gone").into()) });
    let failure = registry(tool).call("gone", json!({})).await.unwrap_err();
    assert_eq!((failure.kind().codes().http, failure.message()), (404, "it is gone"));
    // The schema admits more than the type.
    let any = named("undecodable").input_schema(json!({"type": "object"})).build().unwrap();
    let tool = DynamicTool::new(any, |_, Sum { .. }| async { Ok(Output::empty()) });
    let failure = registry(tool).call("undecodable", json!({"a": "x"})).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
    let problem = failure.problems()[0].to_string();
    assert!(
        problem.starts_with("/a: ") && problem.contains("invalid type: string \"x\", expected i32"),
        "{problem}"
    );
}

#[tokio::test]
async fn treats_tools_without_operation_as_modifying() {
    struct Gate {
        begun: Semaphore,
        open: Semaphore,
        ended: AtomicUsize,
    }
    for (operation, ends) in [(None, 1), (Some(Operation::Read), 0)] {
        let gate =
            Arc::new(Gate { begun: Semaphore::new(0), open: Semaphore::new(0), ended: AtomicUsize::new(0) });
        let definition = operation.into_iter().fold(named("slow"), ToolDefinitionBuilder::operation);
        let tool = tool_without_inputs(definition, {
            let gate = Arc::clone(&gate);
            move |_| {
                let gate = Arc::clone(&gate);
                async move {
                    gate.begun.add_permits(1);
                    gate.open.acquire().await.unwrap().forget();
                    gate.ended.fetch_add(1, Ordering::SeqCst);
                    Ok(Output::empty())
                }
            }
        });
        let registry = registry(tool);
        let call = tokio::spawn({
            let registry = registry.clone();
            async move { registry.call("slow", json!({})).await.map(|_| ()) }
        });
        gate.begun.acquire().await.unwrap().forget();
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        gate.open.add_permits(1);
        registry.drain().await;
        assert_eq!(gate.ended.load(Ordering::SeqCst), ends, "{operation:?}");
    }
}

#[tokio::test]
async fn applies_read_only_and_permissions() {
    let tools = || {
        let allowed = named("allowed").permission(Permission::all(["ring"])).operation(Operation::Read);
        Registry::builder()
            .tool(tool_without_inputs(allowed, |context| async move { Ok(Output::text(context.tool())) }))
            .tool(tool_without_inputs(named("unsaid"), |_| async { Ok(Output::empty()) }))
    };
    let registry = tools().read_only().build().unwrap();
    let kind = |result: Result<Output, Failure>| {
        result.map(|output| output.value()).map_err(|failure| failure.kind())
    };
    assert_eq!(kind(registry.call("unsaid", json!({})).await), Err(FailureKind::Disabled));
    assert_eq!(kind(registry.call("allowed", json!({})).await), Err(FailureKind::Denied));
    let ada = registry.as_principal(Principal::new("ada").grant("ring"));
    assert_eq!(kind(ada.call("allowed", json!({})).await), Ok("allowed".into()));
    assert_eq!(registry.tools().map(ToolDefinition::name).collect::<Vec<_>>(), ["allowed"]);
}

#[test]
fn reports_duplicate_names_with_both_locations() {
    let nothing = |definition| DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) });
    let (first, line) = (named("twin").build().unwrap(), line!());
    let second = named("twin").build().unwrap();
    let errors = Registry::builder().tool(nothing(second)).tool(nothing(first)).build().unwrap_err();
    assert_eq!(
        errors.iter().collect::<Vec<_>>(),
        [&BuildError::Duplicate {
            name: "twin".to_owned(),
            first: format!("{}:{line}, written by hand", file!()),
            second: format!("{}:{}, written by hand", file!(), line + 1),
        }]
    );
    let declared = named("declared_sum").build().unwrap();
    let errors = Registry::builder()
        .linked()
        .select(|tool| tool.name() == "declared_sum")
        .tool(nothing(declared))
        .build()
        .unwrap_err();
    let text = errors.to_string();
    assert!(
        text.contains("two tools are named `declared_sum`") && text.contains(", module tools::dynamic"),
        "{text}"
    );
    assert!(text.contains(", written by hand"), "{text}");
}

#[test]
fn rejects_tools_without_a_definition() {
    struct NoDefinition;
    impl Tool for NoDefinition {
        fn definition(&self) -> &ToolDefinition {
            panic!("no definition yet")
        }
        fn call<'a>(&'a self, _: Context, _: &'a RawValue) -> BoxFuture<'a, Result<Output, Failure>> {
            Box::pin(std::future::ready(Ok(Output::empty())))
        }
    }
    let shared: Arc<dyn Tool> = Arc::new(NoDefinition);
    let errors = Registry::builder().tool(shared).allow_empty().build().unwrap_err();
    assert_eq!(errors.iter().collect::<Vec<_>>(), [&BuildError::NoDefinition]);
}

#[tokio::test]
async fn wraps_another_tool() {
    /// Wraps a tool under the same definition, and counts its calls.
    struct Counted {
        definition: ToolDefinition,
        inner: Registry,
        calls: Arc<AtomicUsize>,
    }
    impl Tool for Counted {
        fn definition(&self) -> &ToolDefinition {
            &self.definition
        }
        fn call<'a>(
            &'a self,
            context: Context,
            arguments: &'a RawValue,
        ) -> BoxFuture<'a, Result<Output, Failure>> {
            Box::pin(async move {
                self.calls.fetch_add(1, Ordering::SeqCst);
                self.inner
                    .call_with(context.tool(), arguments.get().as_bytes(), &CallOptions::new())
                    .await
                    .result
            })
        }
    }
    let inner = Registry::builder().linked().select(|tool| tool.name() == "declared_sum").build().unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let definition = inner.get("declared_sum").unwrap().clone();
    let outer = registry(Counted { definition, inner, calls: Arc::clone(&calls) });
    let output = outer.call("declared_sum", json!({"a": 2, "b": 3})).await.unwrap();
    assert_eq!((output.value(), output.structured().unwrap().get()), (json!(5), r#"{"result":5}"#));
    assert_eq!(outer.check(), Ok(()));
    let failure = outer.call("declared_sum", json!({"a": "x"})).await.unwrap_err();
    assert_eq!((failure.problems()[0].path.as_str(), calls.load(Ordering::SeqCst)), ("/a", 1));
}

#[derive(Deserialize)]
struct Flags {
    flags: std::collections::BTreeMap<bool, u8>,
}

/// The message repeats the key, and must be valid UTF-8.
#[tokio::test]
async fn reports_invalid_boolean_keys_as_valid_utf_8() {
    let definition = ToolDefinition::builder("flags", "Counts flags.").input_schema(json!({
        "type": "object",
        "properties": {"flags": {"type": "object", "additionalProperties": true}},
    }));
    let tool = DynamicTool::new(definition.build().unwrap(), |_, Flags { flags }| async move {
        Output::json(&flags.len()).map_err(|_| Failure::internal())
    });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let output = registry.call("flags", json!({"flags": {"true": 1, "false": 2}})).await.unwrap();
    assert_eq!(output.value(), 2);
    for key in ["\u{e9}", "\u{20ac}", "\u{1f600}x", "\u{e9}\u{e9}"] {
        let failure = registry.call("flags", json!({"flags": {key: 1}})).await.unwrap_err();
        assert_eq!(failure.kind(), FailureKind::Input, "{key}");
        let text = failure.text();
        assert_eq!(str::from_utf8(text.as_bytes()), Ok(&*text));
        let read = Output::json(&json!({key: 1})).unwrap().decode::<std::collections::BTreeMap<bool, u8>>();
        let error = read.unwrap_err().to_string();
        assert_eq!(str::from_utf8(error.as_bytes()), Ok(&*error));
    }
}
