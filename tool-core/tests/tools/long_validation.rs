//! Long validations: other calls do not wait, and the work is limited.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::{
    CallOptions, DynamicTool, Failure, FailureKind, Operation, Output, Registry, ToolDefinition,
};

const ALTERNATIVES: usize = 900;

/// Returns a registry with a list whose items have many alternatives.
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

/// Makes both calls on one thread, the long one first, and returns the order in which they ended.
async fn with_quick_call(
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
async fn validates_without_blocking_other_calls() {
    let registry = registry();
    // The first call builds the validator.
    assert_eq!(registry.call("count", json!({"items": [{"k0": 1}]})).await.unwrap().value(), 1);
    let wrong = json!({"items": vec![json!({"x": 1}); 20_000]}).to_string();
    assert!(wrong.len() > 160_000);
    let (result, order) = with_quick_call(&registry, &wrong).await;
    assert_eq!(order, ["quick", "count"]);
    let failure = result.unwrap_err();
    assert_eq!((failure.kind(), failure.problems().len()), (FailureKind::Input, 20));
    assert_eq!(failure.problems()[0].path, "/items/0");

    let last = format!("k{}", ALTERNATIVES - 1);
    let right = json!({"items": vec![json!({last: 1}); 1_000]}).to_string();
    let (result, order) = with_quick_call(&registry, &right).await;
    assert_eq!(order, ["quick", "count"]);
    assert_eq!(result.unwrap().value(), 1_000);
}

#[tokio::test]
async fn rejects_too_many_values() {
    let registry = registry();
    let arguments = json!({"items": vec![1; 230_000]}).to_string();
    let failure =
        registry.call_with("count", arguments.as_bytes(), &CallOptions::new()).await.result.unwrap_err();
    assert_eq!(
        failure.problems()[0].to_string(),
        "expected at most 222222 values in all, since each has 900 alternatives to be checked against"
    );
}

/// Every item has strings that could be coerced.
#[tokio::test]
async fn limits_the_search_for_coercions() {
    let registry = registry();
    let arguments = json!({"items": vec![json!({"k0": "1", "k1": "1"}); 5_000]}).to_string();
    let failure =
        registry.call_with("count", arguments.as_bytes(), &CallOptions::new()).await.result.unwrap_err();
    assert_eq!((failure.kind(), failure.problems().len()), (FailureKind::Input, 20));
}
