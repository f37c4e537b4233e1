//! The table of operations and surfaces, for every tool of the example.

use tool_core::{Operation, Surface};

use crate::registry;

#[test]
fn every_tool_is_on_the_surface_of_its_operation() {
    let registry = registry();
    let table: Vec<(&str, Operation, &str)> = registry
        .tools()
        .map(|tool| {
            let surface = match Surface::of(tool) {
                Surface::Resource(_) => "resource",
                Surface::ResourceTemplate(_) => "resource template",
                _ => "tool",
            };
            (tool.name(), tool.operation().unwrap(), surface)
        })
        .collect();
    assert_eq!(
        table,
        [
            ("brave_web_search", Operation::Read, "tool"),
            ("explain_blocks", Operation::Explain, "resource"),
            ("run", Operation::Trigger, "tool"),
            ("web_fetch", Operation::Read, "tool"),
        ],
    );
}
