// A tool is no prompt, and a prompt no tool.
use tool_core::{prompt, prompts, tool, tools};

/// Asks.
#[prompt]
fn ask() -> String {
    String::new()
}

/// Reads.
#[tool(operation = Read)]
fn read() {}

fn main() {
    let _ = (prompts![ask, read], tools![ask, read], prompts!["ask"]);
}
