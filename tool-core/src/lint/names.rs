//! Names that model APIs refuse or models mix up.
//!
//! MCP takes names of up to 128 of `A-Za-z0-9_.-`. Function names are stricter: `^[a-zA-Z0-9_-]{1,64}$` (OpenAI), 64
//! characters (Gemini), `^[a-zA-Z0-9_-]{1,128}$` (Anthropic).

use std::collections::BTreeMap;

use crate::definition::ToolDefinition;
use crate::lint::finding::{Finding, LintRule};

const LONGEST: usize = 64;

pub(super) fn check(tool: &ToolDefinition, findings: &mut Vec<Finding>) {
    let length = tool.name().chars().count();
    if length > LONGEST {
        findings.push(Finding::of(LintRule::NameTooLong, tool, format!("the name has {length} characters")));
    }
    if tool.name().contains('.') {
        findings.push(Finding::of(LintRule::NameDotted, tool, "the name has a dot"));
    }
}

/// Names and aliases that are one when case does not count.
pub(super) fn check_case(tools: &[&ToolDefinition], findings: &mut Vec<Finding>) {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for tool in tools {
        for name in [tool.name()].into_iter().chain(tool.alias()) {
            let other = *known.entry(name.to_lowercase()).or_insert(name);
            if other != name {
                let message = format!("`{name}` and `{other}` differ by case alone");
                findings.push(Finding::of(LintRule::NamesDifferByCase, tool, message));
            }
        }
    }
}
