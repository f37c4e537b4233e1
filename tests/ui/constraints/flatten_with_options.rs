use tool_core::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {}

/// Does it.
#[tool(operation = Read)]
fn read(
    #[arg(flatten, default)] a: Page,
    #[arg(rename = "b", flatten, secret)] b: Page,
    #[arg(flatten, locator, range(min = 1))] c: Page,
) {
    let _ = (a, b, c);
}

fn main() {
    let _ = read;
}
