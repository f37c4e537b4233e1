use tool_core::{Unmet, tool};

fn answers() -> bool {
    true
}

fn takes_two(_: &u8, _: &u16) -> Result<(), Unmet> {
    Ok(())
}

fn owns(_: String) -> Result<(), Unmet> {
    Ok(())
}

fn fits() -> Result<(), Unmet> {
    Ok(())
}

/// Reads.
#[tool(operation = Read, requires = [answers, fits, takes_two, owns, missing])]
fn read() {}

fn main() {
    read();
}
