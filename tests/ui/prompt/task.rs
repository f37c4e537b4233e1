// A prompt is never a task.
use tool_core::prompt;

/// Asks.
#[prompt(task(optional))]
async fn ask() -> String {
    String::new()
}

fn main() {
    let _ = ask;
}
