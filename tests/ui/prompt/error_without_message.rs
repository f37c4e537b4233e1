use tool_core::prompt;

struct Fault;

/// Asks.
#[prompt]
fn ask() -> Result<String, Fault> {
    Err(Fault)
}

fn main() {}
