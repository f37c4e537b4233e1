//! Hygiene of `#[tool]`: shadowed names and strict lints.

mod cfg;
mod crates;
mod kinds;
mod listed;
mod macros;
mod methods;
mod names;
mod parameters;
mod prompts;
mod shadowed;

use std::sync::LazyLock;

use serde_json::Value;
use tokio::runtime::Runtime;
use tool_core::{Failure, Output, Registry, RegistryBuilder};

/// Returns the tools and prompts of a module and its children.
fn of(module: &'static str) -> RegistryBuilder {
    let inside = move |path: &str| {
        path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    Registry::builder()
        .linked()
        .select(move |tool| inside(tool.source().module))
        .select_prompts(move |prompt| inside(prompt.source().module))
}

/// Returns the sorted names of the tools, and of the inputs of each.
fn wire_names(registry: &Registry) -> Vec<String> {
    let signature = |tool: &tool_core::ToolDefinition| {
        let inputs: Vec<&str> = tool.inputs().iter().filter_map(|input| input.name.as_deref()).collect();
        format!("{}({})", tool.name(), inputs.join(", "))
    };
    registry.tools().map(signature).collect()
}

/// Calls a tool like an adapter, and returns its value.
#[track_caller]
fn call(registry: &Registry, name: &str, arguments: Value) -> Value {
    let result = result(registry, name, arguments);
    result.unwrap_or_else(|failure| panic!("{name}: {}", failure.text())).value()
}

/// Returns the error message of a refused call.
#[track_caller]
fn error_message(registry: &Registry, name: &str, arguments: Value) -> String {
    result(registry, name, arguments).expect_err(name).message().to_owned()
}

fn result(registry: &Registry, name: &str, arguments: Value) -> Result<Output, Failure> {
    // Timeouts need a runtime with timers.
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    let _entered = RUNTIME.enter();
    tool_core::private::block_on(registry.call(name, arguments))
}
