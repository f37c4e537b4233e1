//! Definitions that take too many tokens of a model's context.

use serde_json::json;

use crate::definition::ToolDefinition;
use crate::lint::Lint;
use crate::lint::finding::{Finding, LintRule};

pub(super) fn check_tool(tool: &ToolDefinition, lint: &Lint, findings: &mut Vec<Finding>) {
    let (tokens, most) = (tokens(tool), lint.tool_tokens);
    if tokens > most {
        let message = format!("its definition takes about {tokens} tokens, more than {most}");
        findings.push(Finding::of(LintRule::ToolOverBudget, tool, message));
    }
}

pub(super) fn check_all(tools: &[&ToolDefinition], lint: &Lint, findings: &mut Vec<Finding>) {
    let (count, most) = (tools.len(), lint.most_tools);
    if count > most {
        let message = format!("the registry has {count} tools, more than {most}");
        findings.push(Finding::of_all(LintRule::TooManyTools, message));
    }
    let (tokens, most) = (tools.iter().map(|tool| tokens(tool)).sum::<usize>(), lint.registry_tokens);
    if tokens > most {
        let message = format!("the definitions take about {tokens} tokens together, more than {most}");
        findings.push(Finding::of_all(LintRule::RegistryOverBudget, message));
    }
}

/// Estimates the tokens of a definition, at four bytes per token.
fn tokens(tool: &ToolDefinition) -> usize {
    let definition = json!({
        "name": tool.name(),
        "description": tool.description(),
        "inputSchema": tool.input_schema(),
    });
    definition.to_string().len().div_ceil(4)
}
