use tool_core::{Access, Context, Principal, tool};

fn may_read(_: &Principal, _: &u8) -> Access {
    Access::Allow
}

/// Does it.
#[tool(operation = Read, access = may_read(idd, id))]
fn similar(id: u8) {
    let _ = id;
}

/// Does it.
#[tool(operation = Read, access = may_read(owner))]
fn others(id: u8, #[inject] context: Context) {
    let _ = (id, context);
}

/// Does it.
#[tool(operation = Read, access = may_read(owner))]
fn none() {}

fn main() {
    let _ = similar;
    let _ = others;
    let _ = none;
}
