// What a tool says of itself, a prompt does not; who may use it, it says.
use tool_core::prompt;

/// Asks.
#[prompt(operation = Read, titel = "Ask")]
fn ask() -> String {
    String::new()
}

fn main() {
    ask();
}
