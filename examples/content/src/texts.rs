//! The check of texts that authors write, and that callers search for.

use serde_json::Value;
use tool_core::ToolError;

/// Refuses the character U+0000, which would hide the rest of a text from searches and which PostgreSQL cannot store, and line
/// breaks in titles. `inputs` is an object of the inputs.
///
/// # Errors
///
/// Each place of such a character, as invalid input.
pub(crate) fn check(inputs: &Value) -> Result<(), ToolError> {
    let mut problems = Vec::new();
    find(inputs, "", &mut problems);
    let mut problems = problems.into_iter();
    let Some((path, problem)) = problems.next() else { return Ok(()) };
    let error = ToolError::invalid(path, problem);
    Err(problems.fold(error, |error, (path, problem)| error.and_invalid(path, problem)))
}

fn find(value: &Value, path: &str, problems: &mut Vec<(String, &'static str)>) {
    match value {
        Value::String(text) => {
            if let Some(problem) = problem(text, path.ends_with("/title")) {
                problems.push((path.to_owned(), problem));
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| find(item, &format!("{path}/{at}"), problems));
        }
        Value::Object(members) => {
            for (name, member) in members {
                if name.contains('\0') {
                    problems.push((path.to_owned(), "has a name with the character U+0000"));
                } else {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    find(member, &format!("{path}/{name}"), problems);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn problem(text: &str, is_title: bool) -> Option<&'static str> {
    let breaks_line = |c| matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if text.contains('\0') {
        Some("contains the character U+0000")
    } else if is_title && text.contains(breaks_line) {
        Some("has more than one line")
    } else {
        None
    }
}
