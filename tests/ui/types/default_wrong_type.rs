use tool_core::tool;

struct NoJson;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoDefault;

/// Reads.
#[tool(operation = Read)]
fn read(#[arg(default = NoJson)] a: u8, #[arg(default)] b: NoDefault, #[arg(example = missing())] c: u8, #[arg(example = NoJson)] d: u8) {
    let _ = (a, b, c, d);
}

fn main() {
    let _ = read;
}
