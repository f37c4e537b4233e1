//! The text of the servers: a frame, and as many tools as are wanted, all of the kind of `echo`.

/// What every call says.
pub(super) const TEXT: &str = "the quick brown fox jumps over the lazy dog";

pub(super) fn ours(tools: usize) -> String {
    let other = |number| {
        format!(
            "\n/// {}\n#[tool(operation = Transform, open_world = false)]\n\
             fn other_{number}(\n    /// What to answer.\n    text: String,\n) -> String {{\n    text\n}}\n",
            description(number)
        )
    };
    include_str!("../../support/mcp/ours.rs").to_owned() + &(1..tools).map(other).collect::<String>()
}

/// A server for each number of tools: its router in a field, and as the macro has it.
pub(super) fn rmcp(counts: &[usize]) -> String {
    let modules = ["few", "more", "many"].into_iter().zip(counts);
    let modules: String = modules.map(|(name, tools)| module(name, *tools)).collect();
    include_str!("../../support/mcp/rmcp.rs").to_owned() + &modules
}

fn module(name: &str, tools: usize) -> String {
    let methods: String = (0..tools).map(method).collect();
    format!("\nmod {name} {{\n    use super::*;\n\n    server! {{\n{methods}    }}\n}}\n")
}

fn method(number: usize) -> String {
    let name = if number == 0 { "echo".to_owned() } else { format!("other_{number}") };
    format!(
        "        #[tool(description = {:?})]\n        \
         fn {name}(&self, Parameters(Echo {{ text }}): Parameters<Echo>) -> String {{\n            text\n        }}\n",
        description(number)
    )
}

fn description(number: usize) -> String {
    if number == 0 {
        "Answers what it is told.".to_owned()
    } else {
        format!("Answers what it is told, by method {number}.")
    }
}

pub(super) fn bare() -> String {
    format!("{}\nconst TEXT: &str = {TEXT:?};\n", include_str!("../../support/mcp/bare.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generates_the_same_number_of_tools() {
        let count = |text: &str, what: &str| text.matches(what).count();
        assert_eq!(count(&ours(10), "#[tool(operation"), 10);
        assert_eq!(count(&rmcp(&[10, 20, 30]), "#[tool(description"), 60);
    }
}
