use tool_core::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {}

/// Reads.
#[tool(operation = Read)]
fn read(
    /// Which page.
    #[arg(flatten)]
    page: Page,
) {
    let _ = page;
}

fn main() {
    let _ = read;
}
