use tool_core::{Access, Principal, tool};

fn may_read(_: &Principal, _: &String) -> Access {
    Access::Allow
}

/// Is shown a number.
#[tool(operation = Read, access = may_read(id))]
fn number(id: u8) {
    let _ = id;
}

/// Is shown nothing.
#[tool(operation = Read, access = may_read)]
fn nothing(id: u8) {
    let _ = id;
}

/// Is shown too much.
#[tool(operation = Read, access = may_read(text, id))]
fn both(text: String, id: u8) {
    let _ = (text, id);
}

fn free(_: &String) -> Access {
    Access::Allow
}

/// Is not shown who calls.
#[tool(operation = Read, access = free(text))]
fn anybody(text: String) {
    let _ = text;
}

fn main() {
    let _ = (number, nothing, both, anybody);
}
