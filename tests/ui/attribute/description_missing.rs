use tool_core::tool;

#[tool(operation = Read)]
fn read() {}

///
#[tool(operation = Read)]
fn blank() {}

fn main() {
    read();
    blank();
}
