// One error each, and the functions are there.
use tool_core::{Access, Principal, Unmet, tool};

fn may_read(_: &Principal) -> Access {
    Access::Allow
}

fn fits() -> Result<(), Unmet> {
    Ok(())
}

/// Reads.
#[tool(operation = Read, access = )]
fn access() {}

/// Reads.
#[tool(operation = Read, access = may_read::)]
fn access_path() {}

/// Reads.
#[tool(operation = Read, access = may_read(id.))]
fn access_parameter(id: u8) {
    let _ = id;
}

/// Reads.
#[tool(operation = Read, requires = [fits, keys::])]
fn requires() {}

/// Reads.
#[tool(operation = Read, requires)]
fn requires_alone() {}

/// Reads.
#[tool(operation = Read, tags = ["a", ])]
fn tags() {}

/// Reads.
#[tool(operation = Read, tags = ["a", b])]
fn tags_word() {}

/// Reads.
#[tool(operation = Read, schema = json!({}).)]
fn schema() {}

/// Reads.
#[tool(operation = Read, timeout = , cache = "1s")]
async fn timeout() {}

/// Reads.
#[tool(operation = Read, path = "node/{id}", )]
fn comma(#[arg(locator, )] id: u8) {
    let _ = id;
}

/// Reads.
#[tool(operation = Read, path = "node/{id}")]
fn locator(#[arg(loc)] id: u8) {
    let _ = id;
}

/// Reads.
#[tool(operation = Read)]
fn inputs(
    #[arg(range(min = ))] a: u8,
    #[arg(range(min = 1, max))] b: u8,
    #[arg(range(min = 1, ))] c: u8,
    #[arg(range(m))] d: u8,
    #[arg(length(max = 9 9))] e: String,
    #[arg(pattern = )] f: String,
    #[arg(sec)] g: String,
    #[arg(complete = ids::)] h: String,
    #[arg(header)] i: String,
    #[arg(locator = true)] j: u8,
    #[arg()] k: u8,
) {
    let _ = (a, b, c, d, e, f, g, h, i, j, k);
}

fn main() {
    access();
    access_path();
    access_parameter(1);
    requires();
    requires_alone();
    tags();
    tags_word();
    schema();
    let _ = timeout;
    comma(1);
    locator(1);
    let _ = inputs;
    let _ = (may_read, fits);
}
