//! `run --skeleton`: arguments to fill in.

use serde_json::{Map, Value};
use tool_core::schema::NativeSchema;
use tool_core::{Registry, ToolDefinition};

/// Arguments with every input, for `--input-json`: valid where that can be known. What is required has the value of the
/// example; the rest its default, an example, or a value of its type.
pub(crate) fn skeleton(registry: &Registry, tool: &ToolDefinition) -> Value {
    let mut members = Map::new();
    for input in tool.inputs() {
        let Some(name) = &input.name else { continue };
        let value = tool.example().get(name).cloned().unwrap_or_else(|| guess(input));
        members.insert(name.clone(), value);
    }
    // A guess that is wrong teaches nothing: what need not be given is then left out.
    while let Err(failure) =
        registry.validate(tool.name(), Value::Object(members.clone()).to_string().as_bytes())
    {
        let before = members.len();
        for problem in failure.problems() {
            let name = problem.path.trim_start_matches('/').split('/').next().unwrap_or_default();
            let name = name.replace("~1", "/").replace("~0", "~");
            let is_optional =
                |input: &NativeSchema| input.name.as_ref() == Some(&name) && input.required == Some(false);
            if tool.inputs().iter().any(is_optional) {
                members.shift_remove(&name);
            }
        }
        if members.len() == before {
            break;
        }
    }
    Value::Object(members)
}

/// Returns a value of this type.
fn guess(input: &NativeSchema) -> Value {
    let value = input.default.clone().or_else(|| input.examples.first().cloned());
    let value = value.or_else(|| input.allowed.first().map(|allowed| allowed.value.clone()));
    value.unwrap_or_else(|| match input.kind {
        "string" => "".into(),
        "integer" | "number" => input
            .constraints
            .as_ref()
            .and_then(|limits| limits.min.clone())
            .filter(|min| min.as_i64() != Some(i64::MIN))
            .unwrap_or(0.into()),
        "boolean" => false.into(),
        "list" => Value::Array(Vec::new()),
        "map" => {
            let required = input.properties.iter().filter(|member| member.required == Some(true));
            let members = required.filter_map(|member| Some((member.name.clone()?, guess(member))));
            Value::Object(members.collect())
        }
        "union" => input.variants.first().map(guess).unwrap_or_default(),
        _ => Value::Null,
    })
}
