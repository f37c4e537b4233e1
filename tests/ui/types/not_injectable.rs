use tool_core::tool;

struct Shop;

/// Reads.
#[tool(operation = Read)]
fn read(#[inject] shop: Shop) {
    let _ = shop;
}

fn main() {
    read(Shop);
}
