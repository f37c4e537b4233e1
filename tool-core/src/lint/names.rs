//! Names that model APIs reject or models confuse.
//!
//! MCP allows names of up to 128 of `A-Za-z0-9_.-`. OpenAI (API reference, `FunctionDefinition.name`) and Anthropic
//! (Messages API, `tools.name`) allow 64 of `A-Za-z0-9_-`, Gemini (API reference, `FunctionDeclaration.name`) 64 that begin
//! with a letter or `_`. For names of inputs, Gemini allows identifiers, and Anthropic 64 of `A-Za-z0-9_.-`.

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
    if !begins_well(tool.name()) {
        let message = "the name begins with neither a letter nor `_`";
        findings.push(Finding::of(LintRule::NameStart, tool, message));
    }
}

/// Returns `true` if every model API allows an input of this name.
pub(super) fn is_plain(input: &str) -> bool {
    input.len() <= LONGEST
        && begins_well(input)
        && input.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn begins_well(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Reports names and aliases that differ only in case.
pub(super) fn check_case(tools: &[&ToolDefinition], findings: &mut Vec<Finding>) {
    let mut spellings: BTreeMap<String, &str> = BTreeMap::new();
    for tool in tools {
        for name in [tool.name()].into_iter().chain(tool.alias()) {
            let other = *spellings.entry(name.to_lowercase()).or_insert(name);
            if other != name {
                let message = format!("`{name}` and `{other}` differ by case alone");
                findings.push(Finding::of(LintRule::NamesDifferByCase, tool, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn accepts_only_plain_names() {
        let long = "a".repeat(64);
        for name in ["a", "_", "temp_max", "X2", &long] {
            assert!(is_plain(name), "{name}");
        }
        for name in ["", "2x", "-x", "a b", "a-b", "a.b", "$ref", "größe", &format!("{long}a")] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
