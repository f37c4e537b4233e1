// What rustc says is enough.
use tool_core::prompt;

/// Asks.
#[prompt(title = "Ask", )]
fn ask(number: ) -> String {
    String::new()
}

/// Asks.
#[prompt]
fn ask_again(number: u8) -> String {
    number.
}

fn main() {
    ask_again(1);
}
