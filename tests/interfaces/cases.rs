//! Inputs for every tool, generated from its schema: valid ones, and each kind of mistake in each place.

use serde_json::{Map, Value, json};
use tool_core::{Registry, ToolDefinition};

/// An input of a tool, as text.
pub(crate) struct Case {
    pub(crate) tool: String,
    pub(crate) arguments: String,
}

/// Returns the cases of all tools, in a fixed order.
pub(crate) fn of(registry: &Registry) -> Vec<Case> {
    registry.tools().flat_map(of_tool).collect()
}

fn of_tool(tool: &ToolDefinition) -> Vec<Case> {
    let example = tool.example().as_object().unwrap().clone();
    let mut inputs = vec![Value::Object(example.clone()), json!({}), with(&example, "unheard_of", &json!(1))];
    let properties = tool.input_schema()["properties"].as_object().unwrap();
    for (name, schema) in properties {
        let mut without = example.clone();
        without.shift_remove(name);
        inputs.push(without.clone().into());
        // A misspelled name: one input is missing and another unknown.
        inputs.push(with(&without, &format!("{name}x"), &example.get(name).cloned().unwrap_or_default()));
        for value in values(schema) {
            inputs.push(with(&example, name, &value));
        }
    }
    // All inputs are invalid.
    inputs.push(properties.keys().map(|name| (name.clone(), json!([{}]))).collect::<Map<_, _>>().into());
    let texts = inputs.into_iter().map(|input| input.to_string());
    texts.map(|arguments| Case { tool: tool.name().to_owned(), arguments }).collect()
}

/// Returns values of every type, including the limits of the schema.
fn values(schema: &Value) -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(-1),
        json!(1e3),
        json!(0),
        json!(u64::MAX),
        json!(-500),
        json!(""),
        json!("text"),
        json!("2014-02-30"),
        json!("2014-12-24"),
        json!("1999-12-24"),
        json!("\u{1f600}\u{0}\u{1b}[31m"),
        json!([]),
        json!([1]),
        json!({}),
        json!({"a": 1}),
    ];
    for constant in schema["enum"].as_array().into_iter().flatten() {
        values.push(constant.clone());
        values.push(constant.as_str().unwrap().to_uppercase().into());
    }
    for bound in ["minimum", "maximum"] {
        if let Some(bound) = schema[bound].as_i64() {
            values.extend([json!(bound - 1), json!(bound), json!(bound + 1)]);
        }
    }
    values
}

fn with(object: &Map<String, Value>, name: &str, value: &Value) -> Value {
    let mut object = object.clone();
    object.insert(name.to_owned(), value.clone());
    object.into()
}
