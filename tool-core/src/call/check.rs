//! The arguments against the schema: everything that is wrong with them, and what makes them right.

use std::borrow::Cow;

use serde_json::Value;

use crate::call::reader::Unread;
use crate::call::{located::located, numbers, strict};
use crate::definition::ToolDefinition;
use crate::failure::{Failure, Problem};
use crate::leniency::{Leniency, Repair};
use crate::schema::{Amendments, Validator};

/// Arguments as the schema sees them.
pub(super) struct Checked<'t> {
    /// The text to decode: the same, or one without the members that are `null` and count as left out, and with what was
    /// repaired.
    pub(super) text: Cow<'t, str>,
    pub(super) repairs: Vec<Repair>,
    /// What stands against it, if something does.
    pub(super) verdict: Result<(), Vec<Problem>>,
}

/// Finds everything that the schema has against the arguments, and mends what can be mended.
///
/// # Errors
///
/// When they are no JSON.
pub(super) fn check<'t>(
    tool: &ToolDefinition,
    leniency: Leniency,
    text: &'t str,
) -> Result<Checked<'t>, Failure> {
    let validator = tool.validator().map_err(|error| {
        tracing::error!(tool = tool.name(), error, "the input schema is invalid");
        Failure::internal()
    })?;
    let arguments = parsed(text).map_err(|mut problem| {
        problem.path = validator.shown(&problem.path);
        Failure::not_json(tool.name(), problem)
    })?;
    if validator.is_valid(&arguments) {
        let verdict = decodable(tool, validator, &arguments, Ok(()));
        return Ok(Checked { text: text.into(), repairs: Vec::new(), verdict });
    }
    let Amendments { edits, repairs } = validator.amendments(&arguments, leniency);
    let amended = (!edits.is_empty()).then(|| edits.apply(text));
    // What is checked is the text that is decoded. It can be too deep where a text within it was put in its place.
    let reread = amended.and_then(|text| parsed(&text).ok().map(|arguments| (text, arguments)));
    let Some((text, arguments)) = reread else {
        let verdict = decodable(tool, validator, &arguments, validator.check(&arguments));
        return Ok(Checked { text: text.into(), repairs: Vec::new(), verdict });
    };
    let verdict = decodable(tool, validator, &arguments, validator.check(&arguments));
    if verdict.is_err() {
        return Ok(Checked { text: text.into(), repairs, verdict });
    }
    for Repair { path, kind } in &repairs {
        tracing::info!(tool = tool.name(), ?path, %kind, "a string was read as what it stands for");
    }
    Ok(Checked { text: text.into(), repairs, verdict })
}

/// The verdict of the schema, and what stands in the way of decoding: a value that its type would try in too many ways.
fn decodable(
    tool: &ToolDefinition,
    validator: &Validator,
    arguments: &Value,
    verdict: Result<(), Vec<Problem>>,
) -> Result<(), Vec<Problem>> {
    // What is written by hand is not decoded here.
    let endless = if tool.declaration().is_some() { validator.endless(arguments) } else { Vec::new() };
    if endless.is_empty() {
        return verdict;
    }
    let mut problems = verdict.err().unwrap_or_default();
    problems.extend(endless);
    Err(problems)
}

/// A text as the schema sees it: spelled out, an integer beyond 2^53 is compared exactly.
pub(crate) fn parsed(text: &str) -> Result<Value, Problem> {
    let spelled = numbers::spell_out_integers(text);
    strict::parse(spelled.as_deref().unwrap_or(text))
}

/// A reason longer than this is no reason.
const LONGEST_REASON: usize = 200;

/// What is said of an input that its type could not read.
pub(super) fn explained(unread: &Unread<'_>, validator: &Validator) -> Problem {
    let (place, text, error) = match unread {
        Unread::Missing { place } => {
            let message = format!("missing required input: expected {}", validator.expected(place));
            return Problem::new(place, "required", message);
        }
        Unread::Undecoded { place, text, error } => (place, text, error),
    };
    let (below, text) = located(text, error);
    let place = format!("{place}{below}");
    let value = serde_json::from_str(text).unwrap_or(Value::Null);
    let mut problem = validator.undecoded(&place, &value);
    if value.is_number() {
        problem.message.push_str(": out of range");
    } else if !validator.conceals(&place) && text.len() <= LONGEST_REASON {
        // Some types repeat in their error what they were given.
        problem.message.push_str(": ");
        problem.message.push_str(&reason(error));
    }
    problem
}

/// `serde_json` ends its messages with a position in the text, which here is the text of one value, and so misleads.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    match text.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
