use tool_core::prompt;

#[prompt]
fn without_description() -> String {
    String::new()
}

#[prompt(name = "ask me", title = " ", description = "")]
fn empty() -> String {
    String::new()
}

fn main() {
    let _ = (without_description(), empty());
}
