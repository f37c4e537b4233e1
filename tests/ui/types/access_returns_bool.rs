use tool_core::{Access, Principal, tool};

fn may_read(_: &Principal, _: &u8) -> bool {
    true
}

/// Reads.
#[tool(operation = Read, access = may_read(id))]
fn read(id: u8) {
    let _ = id;
}

async fn may_write(_: &Principal) -> Result<Access, String> {
    Ok(Access::Allow)
}

/// Writes.
#[tool(operation = Write, destructive = false, access = may_write)]
async fn write(id: u8) {
    let _ = id;
}

fn main() {
    let _ = (read, write);
}
