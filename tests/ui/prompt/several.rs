// Five mistakes in one declaration: five errors, in the order in which one reads it. The caller has none.
use tool_core::prompt;

#[prompt(name = "", titel = "Ask")]
unsafe fn ask(#[arg(defualt = 1)] number: &u8) -> String {
    number.to_string()
}

fn main() {
    let _: String = unsafe { ask(&1) };
}
