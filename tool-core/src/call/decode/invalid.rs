//! The failure of a call whose arguments are invalid.

use crate::call::decode::check::explained;
use crate::declare::reader::UnreadInput;
use crate::definition::ToolDefinition;
use crate::model::failure::Failure;
use crate::schema::json::pointer::unescaped;
use crate::schema::problem::Problem;
use crate::schema::{MAX_PROBLEMS, Validator};

/// Returns the failure for arguments that the schema or a type rejects, with the inputs in their order.
pub(super) fn invalid(
    tool: &ToolDefinition,
    mut problems: Vec<Problem>,
    unread: &[UnreadInput<'_>],
) -> Failure {
    // A value that is not an object has no inputs that could be missing.
    let no_object = problems.iter().any(|problem| problem.path.is_empty());
    if !no_object && let Ok(validator) = tool.validator() {
        add(&mut problems, unread, validator);
    }
    Failure::input(tool.name(), problems, tool.valid_example().cloned())
}

/// Returns the name of the input that a problem is in; `None` for the arguments as a whole.
pub(super) fn input_of(problem: &Problem) -> Option<String> {
    problem.path.split('/').nth(1).map(unescaped)
}

/// Adds problems of inputs that have none yet.
fn add(problems: &mut Vec<Problem>, unread: &[UnreadInput<'_>], validator: &Validator) {
    let reported: Vec<_> = problems.iter().map(input_of).collect();
    // If an input has a problem, the arguments as a whole, or a flattened input, fail for the same reason.
    let is_new = |finding: &Problem| {
        reported.is_empty() || !reported.contains(&input_of(finding)) && input_of(finding).is_some()
    };
    let findings = unread.iter().map(|unread| explained(unread, validator));
    problems.extend(findings.filter(is_new));
    problems.sort_by_cached_key(|problem| validator.position(&problem.path));
    problems.truncate(MAX_PROBLEMS);
}

/// Returns the failure for arguments that are valid by the schema, but do not decode as the type of a dynamic tool.
pub(crate) fn undecoded(tool: &ToolDefinition, text: &str, error: serde_json::Error) -> Failure {
    let unread = UnreadInput::Undecoded { path: String::new(), text: text.into(), error };
    invalid(tool, Vec::new(), &[unread])
}
