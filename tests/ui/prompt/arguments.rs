use tool_core::prompt;

struct Unknown;

/// Asks.
#[prompt]
fn ask(
    name: &str,
    #[arg(locator)] place: u32,
    #[arg(header = "Region", default = 1)] region: u32,
    #[arg(rename = "in words")] words: String,
) -> String {
    let _ = (name, place, region);
    words
}

/// Asks.
#[prompt]
fn ask_unknown(unknown: Unknown) -> String {
    let _ = unknown;
    String::new()
}

fn main() {
    ask("", 1, 2, String::new());
}
