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
    let server = |methods: &str| format!("    server! {{\n{methods}    }}\n");
    let input = "Parameters(Echo { text }): Parameters<Echo>";
    include_str!("../../support/mcp/rmcp.rs").to_owned() + &modules(counts, "fn", input, server)
}

/// A server for each number of tools.
pub(super) fn turbomcp(counts: &[usize]) -> String {
    let server = |methods: &str| {
        format!(
            "    #[derive(Clone)]\n    pub struct Echoes;\n\n    \
             #[server(name = \"bench\", version = \"1.0.0\")]\n    impl Echoes {{\n{methods}    }}\n"
        )
    };
    let input = "#[description(\"What to answer.\")] text: String";
    include_str!("../../support/mcp/turbomcp.rs").to_owned() + &modules(counts, "async fn", input, server)
}

/// A module for each number of tools, with a server that has so many methods.
fn modules(counts: &[usize], keyword: &str, input: &str, server: impl Fn(&str) -> String) -> String {
    let method = |number| {
        let name = if number == 0 { "echo".to_owned() } else { format!("other_{number}") };
        let description = description(number);
        format!(
            "        #[tool(description = {description:?})]\n        \
             {keyword} {name}(&self, {input}) -> String {{\n            text\n        }}\n"
        )
    };
    let module = |(name, tools): (&str, &usize)| {
        let methods: String = (0..*tools).map(method).collect();
        format!("\nmod {name} {{\n    use super::*;\n\n{}}}\n", server(&methods))
    };
    ["few", "more", "many"].into_iter().zip(counts).map(module).collect()
}

/// The server that has tools at run time.
pub(super) fn tower() -> String {
    include_str!("../../support/mcp/tower.rs").to_owned()
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
        // Each frame has a tool of its own, which reports its progress, or none.
        let added = |source: fn(&[usize]) -> String| {
            let count = |counts| source(counts).matches("#[tool(description").count();
            count(&[10, 20, 30]) - count(&[])
        };
        let declared = |tools| ours(tools).matches("#[tool(operation").count();
        assert_eq!([added(rmcp), added(turbomcp), declared(10) - declared(1)], [60, 60, 9]);
    }
}
