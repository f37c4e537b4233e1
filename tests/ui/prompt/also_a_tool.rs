// Each of them is one error, whichever stands first.
use tool_core::{prompt, tool};

/// Asks.
#[prompt]
#[tool(operation = Read)]
fn ask(#[arg(default = 1)] number: u8) -> String {
    number.to_string()
}

/// Asks.
#[tool(operation = Read)]
#[prompt(name = "asks")]
fn ask_again() -> String {
    String::new()
}

/// Asks.
#[prompt]
#[tool_core::prompt(name = "twice")]
fn ask_twice() -> String {
    String::new()
}

fn main() {
    let _ = (ask(1), ask_again(), ask_twice());
}
