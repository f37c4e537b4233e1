//! Arguments that take long to be checked: others do not wait for it, and there is an end to it.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::{
    CallOptions, DynamicTool, Failure, FailureKind, Operation, Output, Registry, ToolDefinition,
};

const ALTERNATIVES: usize = 900;

/// A list of items of which each fits one of many alternatives.
fn registry() -> Registry {
    let alternative = |n: usize| {
        let name = format!("k{n}");
        json!({
            "type": "object",
            "properties": {&name: {"type": "integer"}},
            "required": [&name],
            "additionalProperties": false,
        })
    };
    let alternatives: Vec<Value> = (0..ALTERNATIVES).map(alternative).collect();
    let definition = ToolDefinition::builder("count", "Counts items.")
        .operation(Operation::Read)
        .input_schema(json!({
            "type": "object",
            "properties": {"items": {"type": "array", "items": {"anyOf": alternatives}}},
            "required": ["items"],
            "additionalProperties": false,
        }))
        .build()
        .unwrap();
    let count = DynamicTool::new(definition, |_, arguments: Value| async move {
        let count = arguments["items"].as_array().map_or(0, Vec::len);
        Output::json(&count).map_err(|_| Failure::internal())
    });
    let quick = ToolDefinition::builder("quick", "Is done at once.").operation(Operation::Read);
    let quick = DynamicTool::new(quick.build().unwrap(), |_, _: Value| async { Ok(Output::text("done")) });
    Registry::builder().tool(count).tool(quick).build().unwrap()
}

/// Makes both calls on one thread, the long one first, and tells in which order they ended.
async fn beside_a_quick_call(
    registry: &Registry,
    arguments: &str,
) -> (Result<Output, Failure>, Vec<&'static str>) {
    let order = Arc::new(Mutex::new(Vec::new()));
    let (result, ()) = tokio::join!(
        async {
            let result = registry.call_with("count", arguments.as_bytes(), &CallOptions::new()).await.result;
            order.lock().unwrap().push("count");
            result
        },
        async {
            registry.call("quick", json!({})).await.unwrap();
            order.lock().unwrap().push("quick");
        }
    );
    let order = order.lock().unwrap().clone();
    (result, order)
}

#[tokio::test]
async fn nobody_waits_for_a_long_check_but_its_caller() {
    let registry = registry();
    // The first call of a tool makes its validator.
    assert_eq!(registry.call("count", json!({"items": [{"k0": 1}]})).await.unwrap().value(), 1);
    let wrong = json!({"items": vec![json!({"x": 1}); 20_000]}).to_string();
    assert!(wrong.len() > 160_000);
    let (result, order) = beside_a_quick_call(&registry, &wrong).await;
    assert_eq!(order, ["quick", "count"]);
    let failure = result.unwrap_err();
    assert_eq!((failure.kind(), failure.problems().len()), (FailureKind::Input, 20));
    assert_eq!(failure.problems()[0].path, "/items/0");

    let last = format!("k{}", ALTERNATIVES - 1);
    let right = json!({"items": vec![json!({last: 1}); 1_000]}).to_string();
    let (result, order) = beside_a_quick_call(&registry, &right).await;
    assert_eq!(order, ["quick", "count"]);
    assert_eq!(result.unwrap().value(), 1_000);
}

#[tokio::test]
async fn more_values_than_can_be_checked_are_refused() {
    let registry = registry();
    let arguments = json!({"items": vec![1; 230_000]}).to_string();
    let failure =
        registry.call_with("count", arguments.as_bytes(), &CallOptions::new()).await.result.unwrap_err();
    assert_eq!(
        failure.problems()[0].to_string(),
        "expected at most 222222 values in all, since each has 900 alternatives to be checked against"
    );
}

/// A string that could be read as something else is looked at in every item.
#[tokio::test]
async fn what_could_be_mended_is_looked_for_to_an_end() {
    let registry = registry();
    let arguments = json!({"items": vec![json!({"k0": "1", "k1": "1"}); 5_000]}).to_string();
    let failure =
        registry.call_with("count", arguments.as_bytes(), &CallOptions::new()).await.result.unwrap_err();
    assert_eq!((failure.kind(), failure.problems().len()), (FailureKind::Input, 20));
}
