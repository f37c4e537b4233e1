//! Tool definitions from JSON: with schemas or parameters, and invalid ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::definition::{DefinitionError, DefinitionFault, Parameter, ParameterType};
use tool_core::provider::IntoToolsProvider;
use tool_core::{
    CallOptions, DynamicTool, FailureKind, Output, Principal, Registry, Tool, ToolDefinition, tool,
};

fn echo(definition: Value) -> Result<Arc<dyn Tool>, DefinitionError> {
    let definition = ToolDefinition::from_json(definition)?;
    Ok(Arc::new(DynamicTool::new(definition, |_, arguments: Value| async move {
        Ok(Output::json(&arguments).unwrap())
    })))
}

fn full() -> Value {
    json!({
        "name": "find_documents",
        "title": "Find documents",
        "description": "Finds documents.",
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "default": ["a"]},
                "within": {
                    "type": "object",
                    "properties": {"from": {"type": "string", "format": "date", "x-note": 1}, "days": {"type": "integer"}},
                    "required": ["from"],
                },
            },
            "required": ["query"],
            "additionalProperties": false,
        },
        "outputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        "operation": "read",
        "permission": "all(documents.read, documents.find)",
        "tags": ["documents"],
        "examples": [{"query": "rain"}],
        "meta": {"com.example/owner": {"team": "web"}},
    })
}

#[tokio::test]
async fn keeps_all_properties_of_a_json_definition() {
    let registry = Registry::builder().allow_empty().build().unwrap();
    let tools = registry.toolset([echo(full())]);
    let tool = tools.registry().get("find_documents").unwrap();
    assert_eq!(*tool.input_schema(), full()["inputSchema"]);
    assert_eq!(*tool.output_schema().unwrap(), full()["outputSchema"]);
    assert_eq!(serde_json::to_value(tool.annotations()).unwrap(), full()["annotations"]);
    assert_eq!(tool.operation().unwrap().as_str(), "read");
    assert_eq!((tool.title(), tool.tags().collect::<Vec<_>>()), (Some("Find documents"), vec!["documents"]));
    assert_eq!(tool.permission().unwrap().to_string(), "all(documents.read, documents.find)");
    assert_eq!(tool.examples(), [json!({"query": "rain"})]);
    assert_eq!(json!(tool.meta()), full()["meta"]);

    let caller = tool_core::Principal::new("ada").grant("documents.read").grant("documents.find");
    let called = tools.registry().as_principal(caller);
    let arguments = json!({"query": "rain", "tags": ["b"], "within": {"from": "2020-01-01"}});
    assert_eq!(called.call("find_documents", arguments.clone()).await.unwrap().value(), arguments);
    let failure =
        called.call("find_documents", json!({"tags": ["c"], "within": {"days": "x"}})).await.unwrap_err();
    let places: Vec<_> = failure.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(places, ["/query", "/tags/0", "/within/from", "/within/days"]);
    assert!(tools.registry().call("find_documents", arguments).await.is_err(), "without the permission");
}

#[test]
fn ignores_derived_properties() {
    let mut shown = full();
    for (key, value) in [
        ("modifying", json!(false)),
        ("idempotent", json!(true)),
        ("requirements", json!({"met": true})),
        ("digest", json!("abc")),
    ] {
        shown[key] = value;
    }
    let (shown, plain) =
        (ToolDefinition::from_json(shown).unwrap(), ToolDefinition::from_json(full()).unwrap());
    assert_eq!(shown.digest(), plain.digest());
}

#[test]
fn reports_invalid_definitions_with_their_path() {
    for (key, value, expected) in [
        ("name", json!(5), "/name: expected a string, got `5`"),
        ("description", Value::Null, "/description: expected a string, got `null`"),
        ("titel", json!("x"), "/titel: unknown property `titel`: the properties are"),
        ("titel", json!("x"), "(there is one with a similar name: `title`)"),
        (
            "operation",
            json!("reed"),
            "/operation: expected one of `explain`, `read`, `transform`, `trigger`, `write`",
        ),
        ("annotations", json!({"readOnly": true}), "/annotations/readOnly: unknown property `readOnly`"),
        (
            "annotations",
            json!({"readOnlyHint": "yes"}),
            "/annotations/readOnlyHint: expected `true` or `false`, got the string `yes`",
        ),
        ("inputSchema", json!("{}"), "/inputSchema: expected an object, got the string `{}`"),
        ("parameters", json!([]), "/parameters: expected either `inputSchema` or `parameters`, not both"),
        ("tags", json!(["a", 5]), "/tags/1: expected a string, got `5`"),
        ("tags", json!("a"), "/tags: expected "),
        ("examples", json!([[]]), "/examples/0: expected an object"),
        (
            "permission",
            json!("a, b"),
            "/permission: `a, b` is not a permission, since a name cannot contain `,`: write",
        ),
        (
            "permission",
            json!("a + b"),
            "/permission: `a + b` is not a permission, since a name cannot contain `+`",
        ),
        (
            "permission",
            json!("any(a,,b)"),
            "/permission: `any(a,,b)` is not a permission, since a name is missing",
        ),
        ("timeout", json!("soon"), "/timeout: expected a time such as `30s`"),
        ("timeout", json!("0s"), "/timeout: expected a time"),
        ("timeout", json!(30), "/timeout: expected a string, got `30`"),
    ] {
        let mut definition = full();
        definition[key] = value.clone();
        let error = ToolDefinition::from_json(definition).unwrap_err();
        assert!(matches!(error.fault(), DefinitionFault::Json(_)), "{key} {value}: {error}");
        assert!(error.to_string().contains(expected), "{key} {value}: {error}");
        assert_eq!(error.name(), if key == "name" { "" } else { "find_documents" });
    }
    let mut silent = full();
    silent.as_object_mut().unwrap().remove("description");
    let error = ToolDefinition::from_json(silent).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tool `find_documents`: /description: missing required property: expected a string"
    );
    for definition in [json!(null), json!([]), json!("x"), json!(5)] {
        let error = ToolDefinition::from_json(definition).unwrap_err();
        assert!(error.to_string().starts_with("tool ``: expected an object"), "{error}");
    }
    // Faults that the builder finds are reported, too.
    let mut remote = full();
    remote["inputSchema"] = json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}});
    assert!(matches!(
        ToolDefinition::from_json(remote).unwrap_err().fault(),
        DefinitionFault::InputSchema(_)
    ));
    let mut wrong = full();
    wrong["examples"] = json!([{"query": 5}]);
    assert!(matches!(ToolDefinition::from_json(wrong).unwrap_err().fault(), DefinitionFault::Example(_)));
}

#[test]
fn rejects_deeply_nested_definitions() {
    // Not with `json!`, which recurses.
    let deep = (0..100_000).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let mut definition = full();
    definition["examples"] =
        Value::Array(vec![Value::Object([("query".to_owned(), deep)].into_iter().collect())]);
    let error = ToolDefinition::from_json(definition).unwrap_err();
    assert!(error.to_string().contains("nested"), "{error}");
    assert!(error.to_string().len() < 1000);
}

#[test]
fn builds_the_schema_from_parameters() {
    let definition = ToolDefinition::from_json(json!({
        "name": "search",
        "description": "Searches.",
        "parameters": [
            {"name": "query", "type": "string", "description": "What.", "required": true},
            {"name": "bare", "type": "boolean"},
            {"name": "limit", "type": "integer", "default": 10},
            {"name": "empty", "type": "string", "default": ""},
            {"name": "words", "type": "array", "items": "string", "default": []},
            {"name": "order", "type": "string", "enum": ["up", "down"]},
            {"name": "points", "type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
            {"name": "any", "schema": {"type": ["string", "null"], "maxLength": 9}, "default": null},
            {"name": "key", "type": "string", "secret": true},
        ],
    }))
    .unwrap();
    assert_eq!(
        *definition.input_schema(),
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What."},
                "bare": {"type": "boolean"},
                "limit": {"type": "integer", "default": 10},
                "empty": {"type": "string", "default": ""},
                "words": {"type": "array", "items": {"type": "string"}, "default": []},
                "order": {"type": "string", "enum": ["up", "down"]},
                "points": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
                "any": {"type": ["string", "null"], "maxLength": 9, "default": null},
                "key": {"type": "string", "writeOnly": true},
            },
            "required": ["query"],
            "additionalProperties": false,
        }),
    );
    assert_eq!(definition.inputs().len(), 9);
}

#[test]
fn rejects_contradictory_parameters() {
    for (parameters, expected) in [
        (json!([{"type": "string"}]), "/parameters/0/name: missing required property"),
        (
            json!([{"name": "a"}]),
            "/parameters/0: expected either `type`, with `items` and `enum`, or `schema`",
        ),
        (json!([{"name": "a", "type": "string", "schema": {}}]), "/parameters/0: expected either"),
        (json!([{"name": "a", "schema": {}, "enum": [1]}]), "/parameters/0: expected either"),
        (json!([{"name": "a", "type": "text"}]), "/parameters/0/type: expected one of `string`, `integer`"),
        (json!([{"name": "a", "type": "array", "items": "text"}]), "/parameters/0: `items` is not a type"),
        (json!([{"name": "a", "type": "string", "enum": []}]), "/parameters/0/enum: "),
        (
            json!([{"name": "a", "type": "string", "requird": true}]),
            "(there is one with a similar name: `required`)",
        ),
        (
            json!([{"name": "a", "type": "string"}, {"name": "a", "type": "integer"}]),
            "one of its inputs is wrong: /a: there are two inputs of this name",
        ),
        (
            json!([{"name": "n", "type": "integer", "default": "many"}]),
            "one of its inputs is wrong: /n: its default is invalid: expected an integer, got the string `many`",
        ),
        (
            json!([{"name": "n", "type": "string", "enum": ["a"], "default": "b"}]),
            "one of its inputs is wrong: /n: its default is invalid: expected ",
        ),
        (
            json!([{"name": "n", "type": "array", "items": "integer", "default": [1, "2"]}]),
            "one of its inputs is wrong: /n/1: its default is invalid",
        ),
        (
            json!([{"name": "n", "schema": {"type": "nothing"}}]),
            "its input schema was refused: at /properties/n",
        ),
    ] {
        let definition = json!({"name": "t", "description": "Does.", "parameters": parameters});
        let error = ToolDefinition::from_json(definition).unwrap_err();
        assert!(error.to_string().contains(expected), "{parameters}: {error}");
    }
    let never = Parameter::of_schema("never", json!(false));
    assert!(ToolDefinition::builder("t", "Does.").parameters([never.clone()]).build().is_ok());
    // The last schema wins.
    let open =
        ToolDefinition::builder("t", "Does.").parameters([never]).input_schema(json!({"type": "object"}));
    assert_eq!(*open.build().unwrap().input_schema(), json!({"type": "object"}));
    let item = Parameter::new("a", ParameterType::Array).items(ParameterType::Number).secret();
    let tool = ToolDefinition::builder("t", "Does.").parameters([item]).build().unwrap();
    assert!(tool.inputs()[0].secret);
}

#[tokio::test]
async fn skips_and_reports_invalid_definitions() {
    let rows = [
        json!({"name": "first", "description": "Does."}),
        json!({"name": "second", "description": "Does.", "operation": "sometimes"}),
        json!({"name": "third", "description": "Does.", "inputSchema": {"type": "object", "properties": {"a": {"type": "?"}}}}),
        json!({"name": "first", "description": "Does again."}),
        json!({"name": "fourth", "description": "Does.", "operation": "read"}),
    ];
    let refused = Err(DefinitionError::refused("fifth", "there is no provider `shop`"));
    let list = move || rows.iter().cloned().map(echo).chain([refused.clone()]).collect::<Vec<_>>();
    let tools = list.into_provider().tools(&Principal::anonymous()).await.unwrap();
    let names: Vec<_> = tools.registry().tools().map(ToolDefinition::name).collect();
    assert_eq!(names, ["first", "fourth"]);
    let skipped: Vec<_> = tools.skipped().iter().map(ToString::to_string).collect();
    assert_eq!(skipped.len(), 4, "{skipped:?}");
    assert!(skipped[0].starts_with("tool `second`: /operation: expected one of"), "{skipped:?}");
    assert!(skipped[1].starts_with("tool `third`: its input schema was refused"), "{skipped:?}");
    assert_eq!(skipped[2], "tool `fifth`: there is no provider `shop`");
    assert!(skipped[3].starts_with("a second tool of the name `first`"), "{skipped:?}");
    assert_eq!(tools.registry().call("fourth", json!({})).await.unwrap().value(), json!({}));
}

#[test]
fn validates_but_hides_secret_defaults() {
    let parameters = |kind: &str| {
        json!({
            "name": "sign",
            "description": "Signs.",
            "parameters": [
                {"name": "key", "type": kind, "secret": true, "default": "hunter2"},
                {"name": "note", "type": "string", "default": "none"},
                {"name": "keys", "type": "array", "items": {"type": "string", "writeOnly": true}, "default": ["hunter2"]},
            ],
        })
    };
    let signed = ToolDefinition::from_json(parameters("string")).unwrap();
    let schema = signed.input_schema();
    assert_eq!(schema["properties"]["key"], json!({"type": "string", "writeOnly": true}));
    assert_eq!(schema["properties"]["note"]["default"], "none");
    assert!(!format!("{schema} {}", signed.example()).contains("hunter2"));
    let error = ToolDefinition::from_json(parameters("integer")).unwrap_err().to_string();
    assert!(error.contains("/key: its default is invalid") && !error.contains("hunter2"), "{error}");
}

#[tokio::test]
async fn passes_64_bit_integers_exactly() {
    let parameters = json!([{"name": "n", "type": "integer"}, {"name": "x", "schema": true}]);
    let tool = echo(json!({"name": "echo", "description": "Echoes.", "parameters": parameters})).unwrap();
    let tools = vec![tool].into_provider().tools(&Principal::anonymous()).await.unwrap();
    for sent in ["18446744073709551615", "-9223372036854775808", "9007199254740993"] {
        for call in [format!("{{\"n\":{sent}}}"), format!("{{\"x\":[{sent}]}}")] {
            let output = tools
                .registry()
                .call_with("echo", call.as_bytes(), &CallOptions::new())
                .await
                .result
                .unwrap();
            assert_eq!(output.value().to_string(), call);
        }
    }
}

#[tokio::test]
async fn rejects_integers_that_would_be_rounded() {
    let parameters = json!([
        {"name": "n", "type": "integer"},
        {"name": "f", "type": "number"},
        {"name": "x", "schema": true},
        {"name": "pin", "schema": {"type": "object", "propertyNames": {"writeOnly": true}}},
    ]);
    let tool = echo(json!({"name": "echo", "description": "Echoes.", "parameters": parameters})).unwrap();
    let tools = vec![tool].into_provider().tools(&Principal::anonymous()).await.unwrap();
    for (call, places) in [
        (r#"{"n": 18446744073709551616}"#, &["/n"][..]),
        (r#"{"n": 1, "f": -9223372036854775809}"#, &["/f"]),
        (r#"{"x": {"1e30": [1e30, 100000000000000000000000000000001, "2"]}, "f": 1.5}"#, &["/x/1e30/1"]),
        (r#"{"x": [36893488147419103233, [36893488147419103233], 4]}"#, &["/x/0", "/x/1/0"]),
        (r#"{"pin": {"hunter2": 36893488147419103233}}"#, &["/pin"]),
    ] {
        for failure in [
            tools
                .registry()
                .call_with("echo", call.as_bytes(), &CallOptions::new())
                .await
                .result
                .unwrap_err(),
            tools.registry().validate("echo", call.as_bytes()).unwrap_err(),
        ] {
            assert_eq!(failure.kind(), FailureKind::Input);
            let found: Vec<&str> = failure.problems().iter().map(|problem| &*problem.path).collect();
            assert_eq!(found, places, "{call}");
            assert_eq!(
                failure.problems()[0].message,
                "expected a number that 64 bits hold: this integer would be rounded"
            );
        }
    }
    // Numbers with an exponent are floats, and JavaScript prints some of them as digits.
    for call in [
        r#"{"f":1e30}"#,
        r#"{"f":100000000000000000000}"#,
        r#"{"x":18446744073709552000}"#,
        r#"{"x":[1e300,-1.8446744073709552e19,"36893488147419103233"]}"#,
    ] {
        let output =
            tools.registry().call_with("echo", call.as_bytes(), &CallOptions::new()).await.result.unwrap();
        assert_eq!(output.value(), serde_json::from_str::<Value>(call).unwrap(), "{call}");
    }
}

/// Takes values of many types.
#[tool(operation = Transform)]
fn take_anything(
    anything: Option<Value>,
    wide: Option<u128>,
    float: Option<f64>,
    map: Option<BTreeMap<String, Value>>,
) -> String {
    json!([anything, wide.map(|wide| wide.to_string()), float, map]).to_string()
}

#[tokio::test]
async fn rounds_integers_only_by_their_type() {
    let registry = Registry::builder().tools(tool_core::tools![take_anything]).build().unwrap();
    for (call, expected) in [
        (r#"{"anything": 36893488147419103233}"#, Err("/anything")),
        (r#"{"map": {"a": 1, "b": [36893488147419103233]}}"#, Err("/map/b/0")),
        (r#"{"anything": 1e30}"#, Ok("[1e+30,null,null,null]")),
        (r#"{"wide": 36893488147419103233}"#, Ok(r#"[null,"36893488147419103233",null,null]"#)),
        (r#"{"float": 36893488147419103233}"#, Ok("[null,null,3.6893488147419103e+19,null]")),
    ] {
        let called = registry.call_with("take_anything", call.as_bytes(), &CallOptions::new()).await.result;
        let outcome = called.map(|output| output.value().as_str().unwrap().to_owned());
        let outcome = outcome.map_err(|failure| failure.problems()[0].path.clone());
        assert_eq!(outcome, expected.map(str::to_owned).map_err(str::to_owned), "{call}");
    }
}
