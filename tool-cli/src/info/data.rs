//! A tool as JSON or YAML.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::address::Surface;

use crate::info::VisibleTool;
use crate::list::{self, object as members};

/// Returns the whole declaration.
pub(super) fn object(visible: &VisibleTool<'_>) -> Value {
    let VisibleTool { registry, tool, .. } = visible;
    let source = tool.source();
    let tags: Vec<_> = tool.tags().collect();
    let deprecated = tool.deprecated().map(|deprecated| {
        members([("since", deprecated.since.map(Value::from)), ("note", deprecated.note.map(Value::from))])
    });
    let milliseconds = |time: Duration| Value::from(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    members([
        ("name", Some(json!(tool.name()))),
        ("title", tool.title().map(Value::from)),
        ("description", Some(json!(tool.description()))),
        ("provider", tool.provider().map(Value::from)),
        ("operation", tool.operation().map(|operation| json!(operation))),
        ("modifying", Some(json!(tool.modifies()))),
        ("destructive", Some(json!(tool.destructive()))),
        ("idempotent", Some(json!(tool.idempotent()))),
        ("open_world", Some(json!(tool.open_world()))),
        ("annotations", tool.annotations().map(|hints| json!(hints))),
        ("permission", tool.permission().map(|permission| permission.to_string().into())),
        ("denied", list::denial(registry, tool).map(Value::from)),
        ("access_rule", Some(json!(tool.guarded()))),
        ("requirements", Some(json!(list::requirements(registry, tool)))),
        ("surface", Some(surface(&Surface::of(tool)))),
        ("tags", (!tags.is_empty()).then(|| json!(tags))),
        ("alias", tool.alias().map(Value::from)),
        ("deprecated", deprecated),
        ("timeout_ms", tool.timeout().map(milliseconds)),
        ("cache_ms", tool.cache().map(milliseconds)),
        ("inputs", Some(json!(tool.inputs()))),
        ("outputs", tool.outputs().map(|outputs| json!(outputs))),
        ("input_schema", Some(tool.input_schema().clone())),
        ("output_schema", tool.output_schema().cloned()),
        ("example", Some(tool.example().clone())),
        ("examples", (!tool.examples().is_empty()).then(|| json!(tool.examples()))),
        ("source", Some(json!({ "file": source.file, "line": source.line, "module": source.module }))),
        ("digest", Some(json!(tool.digest().to_string()))),
    ])
}

fn surface(surface: &Surface) -> Value {
    let kind = match surface {
        Surface::Tool => "tool",
        Surface::Resource(_) => "resource",
        Surface::ResourceTemplate(_) => "resource_template",
    };
    members([
        ("kind", Some(kind.into())),
        ("address", surface.address().map(|address| address.to_string().into())),
    ])
}
