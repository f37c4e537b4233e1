use tool_core::prompt;

/// Asks.
#[prompt(blocking)]
async fn ask() -> &'static str {
    "Hello"
}

fn main() {
    drop(ask());
}
