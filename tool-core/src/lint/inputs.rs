//! Inputs without a description or an example, and inputs with contradictions.

use serde_json::{Value, json};

use crate::definition::ToolDefinition;
use crate::lint::finding::{Finding, LintRule};
use crate::lint::names::is_plain;
use crate::lint::texts::vague;
use crate::lint::walk::{SchemaPart, walk};
use crate::schema::Validator;
use crate::schema::json::pointer::pointer;
use crate::schema::message::shortened;
use crate::schema::reference::resolved;

pub(super) fn check(tool: &ToolDefinition, findings: &mut Vec<Finding>) {
    let root = tool.input_schema();
    walk(root, &mut |part| {
        described(tool, root, part, findings);
        exemplified(tool, part, findings);
        if part.path.matches('/').count() > 1 {
            nested_values(tool, root, part, findings);
        }
    });
    values(tool, findings);
    untagged(tool, findings);
}

/// Reports a recursive untagged type, which cannot decode deeply nested values.
fn untagged(tool: &ToolDefinition, findings: &mut Vec<Finding>) {
    // A dynamic tool decodes its arguments itself.
    if tool.declaration().is_some() && tool.validator().is_ok_and(Validator::is_tried) {
        let message =
            "a type of its inputs contains itself and has no tag: a value of many levels is refused";
        findings.push(Finding::of(LintRule::ChoiceUntagged, tool, message.to_owned()));
    }
}

fn described(tool: &ToolDefinition, root: &Value, part: SchemaPart<'_>, findings: &mut Vec<Finding>) {
    let Some(name) = part.member else { return };
    let mut find = |rule, message: String| findings.push(Finding::of(rule, tool, message).at(part.path));
    let text = |schema: &Value| schema["description"].as_str().map(str::to_owned);
    // The tag of a variant has one value and needs no description.
    let is_tag = part.schema.get("const").is_some();
    match text(part.schema).or_else(|| text(resolved(part.schema, root))) {
        None if is_tag => {}
        None => find(LintRule::InputUndocumented, format!("`{name}` has no description")),
        Some(text) => {
            if let Some(why) = vague(&text, name) {
                find(LintRule::InputVague, format!("the description of `{name}` {why}"));
            }
        }
    }
    if !is_plain(name) {
        find(LintRule::InputNameRefused, format!("the name `{}` is refused", name.escape_debug()));
    }
}

fn exemplified(tool: &ToolDefinition, part: SchemaPart<'_>, findings: &mut Vec<Finding>) {
    if let Some(pattern) = part.schema["pattern"].as_str()
        && !part.exemplified
    {
        let message = format!("it must match `{pattern}`, and no example is known");
        findings.push(Finding::of(LintRule::PatternWithoutExample, tool, message).at(part.path));
    }
}

/// Checks examples and defaults of inputs, and calls in the doc comment, by decoding them.
fn values(tool: &ToolDefinition, findings: &mut Vec<Finding>) {
    let invalid = |fault: String| Finding::of(LintRule::ExampleInvalid, tool, fault);
    findings
        .extend(tool.invalid_values().into_iter().map(|(input, fault)| invalid(fault).at(&pointer(&input))));
    findings.extend(tool.faults_of_examples().into_iter().map(invalid));
}

/// Checks examples and defaults of members below an input, which only the schema can validate.
fn nested_values(tool: &ToolDefinition, root: &Value, part: SchemaPart<'_>, findings: &mut Vec<Finding>) {
    let examples = part.schema["examples"].as_array().into_iter().flatten();
    let mut values = part.schema.get("default").into_iter().chain(examples).peekable();
    if values.peek().is_none() {
        return;
    }
    let mut schema = json!({"allOf": [part.schema]});
    if let Some(definitions) = root.get("$defs") {
        schema["$defs"] = definitions.clone();
    }
    let Ok(validator) = Validator::new(&schema) else { return };
    for value in values {
        if let Some(problem) = validator.first_problem(value) {
            let message =
                format!("`{}` does not match the schema: {}", shortened(&value.to_string()), problem.message);
            findings.push(Finding::of(LintRule::ExampleInvalid, tool, message).at(part.path));
        }
    }
}
