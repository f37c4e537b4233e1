//! Tools that modify nothing and take the whole resource as state.

use crate::declare::inject::{Handle, Need};
use crate::definition::ToolDefinition;
use crate::lint::finding::{Finding, LintRule};

/// Reports these tools. A type is a resource if a tool takes a `Reader` or `Writer` of it.
pub(super) fn check(tools: &[&ToolDefinition], findings: &mut Vec<Finding>) {
    let is_raw = |need: &&Need| need.handle() == Handle::State;
    let mut resources: Vec<&Need> = Vec::new();
    for need in tools.iter().flat_map(|tool| tool.needs()).filter(|need| !is_raw(need)) {
        if !resources.iter().any(|resource| resource.is_same_type(need)) {
            resources.push(need);
        }
    }
    for tool in tools.iter().filter(|tool| !tool.modifies()) {
        for need in tool.needs().filter(is_raw) {
            if resources.iter().any(|resource| resource.is_same_type(need)) {
                let name = need.type_name();
                let message = format!("it takes `State<{name}>`, or `&self` of it, which is a resource");
                findings.push(Finding::of(LintRule::RawState, tool, message));
            }
        }
    }
}
