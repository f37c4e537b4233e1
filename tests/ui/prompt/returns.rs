// What a prompt returns is messages; nothing is to be said about traits of serialization.
use tool_core::prompt;

struct Question;

/// Asks.
#[prompt]
fn number() -> u32 {
    1
}

/// Asks.
#[prompt]
async fn question(well: bool) -> Result<Question, String> {
    if well { Ok(Question) } else { Err(String::new()) }
}

/// Asks.
#[prompt]
fn nothing() {}

/// Asks.
#[prompt]
fn texts() -> Vec<String> {
    Vec::new()
}

fn main() {}
