//! `#[tool]` where others have taken the names, changed them, or forbid what is usual.

mod cfg;
mod crates;
mod kinds;
mod listed;
mod macros;
mod names;
mod parameters;
mod shadowed;

use serde_json::Value;
use tool_core::{Builder, Registry};

/// The tools that one module and those in it declare.
fn of(module: &'static str) -> Builder {
    let inside = move |path: &str| {
        path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    Registry::builder().linked().select(move |tool| inside(tool.source().module))
}

/// The wire names of these tools, sorted, and those of the inputs of each.
fn wire_names(registry: &Registry) -> Vec<String> {
    let signature = |tool: &tool_core::ToolDefinition| {
        let inputs: Vec<&str> = tool.inputs().iter().filter_map(|input| input.name.as_deref()).collect();
        format!("{}({})", tool.name(), inputs.join(", "))
    };
    registry.tools().map(signature).collect()
}

/// The value that a tool returns when it is called as adapters call it.
#[track_caller]
fn call(registry: &Registry, name: &str, arguments: Value) -> Value {
    let output = tool_core::private::block_on(registry.call(name, arguments));
    output.unwrap_or_else(|failure| panic!("{name}: {}", failure.text())).value()
}
