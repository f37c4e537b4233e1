// Not said as well: that there is no description.
use tool_core::tool;

#[tool(operation = Read, description = "")]
fn read() {}

fn main() {
    read();
}
