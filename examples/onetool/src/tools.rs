//! The tools: searching, fetching, and running blocks.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_core::{Context, Registry, State, ToolDefinition, ToolError, tool};

use crate::block::{Block, BlockError, BlockLimits, Callable, MARKER, Sandbox};
use crate::fetch::{FetchedPage, Fetcher};
use crate::search::{Hit, Search};

/// Searches the web, and returns the best pages first, each with its title, its address and the paragraph that fits best.
#[tool(operation = Read, title = "Search the web")]
async fn brave_web_search(
    #[inject] search: State<Search>,
    /// What to look for, in a few words.
    #[arg(length(min = 1, max = 400), example = "borrow checker")]
    query: String,
    /// How many pages to return at most.
    #[arg(default = 5, range(min = 1, max = 20))]
    count: u8,
) -> Result<Vec<Hit>, ToolError> {
    Ok(search.ask(&query, count).await?)
}

/// Fetches a page of the web as plain text. Only pages that the server's configuration allows can be fetched; those that
/// `brave_web_search` finds are among them.
#[tool(operation = Read, title = "Fetch a page")]
async fn web_fetch(
    #[inject] fetcher: State<Fetcher>,
    /// Address of the page, beginning with `http://`.
    #[arg(length(min = 1, max = 2048), example = "http://127.0.0.1:7878/pages/dns")]
    url: String,
) -> Result<FetchedPage, ToolError> {
    Ok(fetcher.fetch(&url).await?)
}

/// Runs a block: a small program in Starlark, a dialect of Python, in which the other tools are functions. The result is
/// the value of its last expression, or else of its variable `result`. `explain_blocks` tells what a block may do.
///
/// ```tool
/// {"command": "__onetool__run\n```python\n{topic: brave_web_search(query=topic, count=3) for topic in [\"AI\", \"ML\"]}\n```"}
/// ```
// What it says of itself is said of every block. It does not destroy because no block can call a tool that can: see
// `is_function`. A server that lets its blocks call such tools declares its `run` with `destructive = true`, or clients that
// ask before they let something be destroyed will not ask.
#[tool(operation = Trigger, destructive = false, title = "Run a block")]
async fn run(
    #[inject] registry: Registry,
    #[inject] context: Context,
    #[inject] sandbox: State<Sandbox>,
    /// The block: `__onetool__run` and the code behind it, which may stand in a Markdown fence.
    #[arg(length(min = 1, max = 65536))]
    command: String,
) -> Result<Outcome, ToolError> {
    let block = Block::parse(&command)?;
    let functions = registry.callable().filter(|tool| is_function(tool)).map(callable).collect();
    let running = sandbox.run(&block, functions, |name, arguments| call(registry.clone(), name, arguments));
    tokio::select! {
        value = running => Ok(Outcome(value?)),
        () = context.cancelled() => Err(BlockError::Cancelled.into()),
    }
}

/// What a block comes to.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
struct Outcome(#[schemars(schema_with = "any_json")] Value);

/// A schema for any JSON that lists all types: some clients reject an empty schema.
fn any_json(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [
        {"type": "object", "additionalProperties": true},
        {"type": "array"},
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
    ]})
}

/// Explains the language of the blocks that `run` takes: what is in it, which tools are functions there, and its limits.
#[tool(operation = Explain, title = "Explain blocks", open_world = false)]
fn explain_blocks(#[inject] sandbox: State<Sandbox>) -> BlockLanguage {
    BlockLanguage {
        language: "Starlark",
        marker: MARKER,
        rules: RULES.to_vec(),
        limits: *sandbox.limits(),
        example: "__onetool__run\n```python\nresults = {}\nfor topic in [\"AI\", \"ML\"]:\n    results[topic] = brave_web_search(query=topic, count=3)\nresults\n```",
    }
}

/// What a block may do.
#[derive(Debug, Serialize, JsonSchema)]
struct BlockLanguage {
    /// Name of the language.
    language: &'static str,
    /// What a block begins with.
    marker: &'static str,
    /// What is different from Python.
    rules: Vec<&'static str>,
    /// How much a block may take.
    limits: BlockLimits,
    /// A block that can be run.
    example: &'static str,
}

const RULES: &[&str] = &[
    "Starlark is Python without classes, exceptions, `while`, `import` and recursion; `for` and `if` may stand at the top.",
    "Every tool that the caller may call is a function, except `run` and tools that can destroy. Its inputs are given by name, or by position in their order.",
    "A function is called as its tool is, with `_` for each character that a name cannot have, and with a `_` more behind a name that is taken.",
    "A tool that fails ends the block, with the line that called it.",
    "There are no files, no network but through tools, no clock and no `print`: make what you want to see the last expression.",
    "The value must be JSON: None, booleans, numbers, strings, lists, tuples, structs, and dictionaries with strings as keys.",
];

/// Returns `true` if a block may call this tool: not `run`, so that blocks do not nest, and no destructive tool, since `run` is
/// declared as not destructive.
fn is_function(tool: &ToolDefinition) -> bool {
    !tool.destructive() && tool.name() != "run"
}

fn callable(tool: &ToolDefinition) -> Callable {
    let inputs = tool.inputs().iter().filter_map(|input| input.name.clone()).collect();
    Callable { name: tool.name().to_owned(), inputs }
}

/// Calls a tool for a block, with the permissions of its caller. The block's process is not trusted to request only the tools
/// that it was given.
async fn call(registry: Registry, name: String, arguments: Map<String, Value>) -> Result<Value, String> {
    if !registry.get(&name).is_some_and(is_function) {
        return Err(format!("`{name}` cannot be called from a block"));
    }
    match registry.call(&name, json!(arguments)).await {
        Ok(output) => Ok(output.value()),
        Err(failure) => Err(failure.text()),
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{Output, Registry, ToolDefinition, tool, tools};

    use super::*;

    /// Turns the lights off.
    #[tool(operation = Write, destructive = true)]
    fn lights_off() {}

    #[tokio::test]
    async fn rejects_calls_of_tools_not_exposed_to_blocks() {
        let foreign = ToolDefinition::builder("foreign", "Says nothing of what it does.").build().unwrap();
        let foreign = tool_core::DynamicTool::new(foreign, |_, _: Value| async { Ok(Output::text("done")) });
        let registry = Registry::builder()
            .tools(tools![lights_off, explain_blocks, run])
            .tool(foreign)
            .state(Sandbox::new("nowhere", BlockLimits::default()))
            .build()
            .unwrap();
        let call = async |name: &str| call(registry.clone(), name.to_owned(), Map::new()).await;
        for name in ["run", "lights_off", "foreign", "nope"] {
            assert_eq!(call(name).await, Err(format!("`{name}` cannot be called from a block")));
        }
        assert_eq!(call("explain_blocks").await.unwrap()["marker"], MARKER);
    }
}
