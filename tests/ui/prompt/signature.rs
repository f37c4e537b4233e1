// The words are those of prompts.
use tool_core::prompt;

/// Asks.
#[prompt]
unsafe fn ask<T>(what: T) -> String {
    let _ = what;
    String::new()
}

/// Asks.
#[prompt]
extern "C" fn ask_foreign() -> impl Into<String> {
    ""
}

fn main() {
    ask_foreign();
}
