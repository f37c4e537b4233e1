// Seven mistakes in one declaration: seven errors, in the order in which one reads it.
use tool_core::tool;

#[tool(operation = Write, titel = "Purge", name = "purge all")]
unsafe fn purge<T>(name: &str, #[arg(rename = "")] day: String) -> impl Sized {
    let _ = (name, day);
}

fn main() {
    let _ = purge::<u8>;
}
