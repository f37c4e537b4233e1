//! The arguments against the schema: everything that is wrong with them, and what makes them right.

use std::borrow::Cow;

use serde_json::Value;

use crate::call::reader::Unread;
use crate::call::strict::Read;
use crate::call::{located::located, numbers, strict};
use crate::definition::ToolDefinition;
use crate::failure::{Failure, Problem};
use crate::leniency::{Leniency, Repair};
use crate::schema::{Amendments, MOST_PROBLEMS, Validator};

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
    let arguments = Arguments::read(text).map_err(|mut problem| {
        problem.path = validator.shown(&problem.path);
        Failure::not_json(tool.name(), problem)
    })?;
    if validator.is_valid(&arguments.value) {
        let verdict = arguments.decodable(tool, validator, Ok(()));
        return Ok(Checked { text: text.into(), repairs: Vec::new(), verdict });
    }
    let Amendments { edits, repairs } = validator.amendments(&arguments.value, leniency);
    let amended = (!edits.is_empty()).then(|| edits.apply(text));
    // What is checked is the text that is decoded. It can be too deep where a text within it was put in its place.
    let reread = amended.as_deref().and_then(|text| Arguments::read(text).ok());
    let Some(reread) = reread else {
        let verdict = arguments.decodable(tool, validator, validator.check(&arguments.value));
        return Ok(Checked { text: text.into(), repairs: Vec::new(), verdict });
    };
    let verdict = reread.decodable(tool, validator, validator.check(&reread.value));
    let text = amended.unwrap_or_default();
    if verdict.is_err() {
        return Ok(Checked { text: text.into(), repairs, verdict });
    }
    for Repair { path, kind } in &repairs {
        tracing::info!(tool = tool.name(), ?path, %kind, "a string was read as what it stands for");
    }
    Ok(Checked { text: text.into(), repairs, verdict })
}

/// A text as the schema sees it: spelled out, an integer beyond 2^53 is compared exactly.
struct Arguments<'t> {
    spelled: Cow<'t, str>,
    value: Value,
    /// Whether it may have an integer that was rounded.
    is_wide: bool,
}

impl<'t> Arguments<'t> {
    fn read(text: &'t str) -> Result<Self, Problem> {
        let spelled = numbers::spell_out_integers(text).map_or(Cow::Borrowed(text), Cow::Owned);
        let Read { value, is_wide } = strict::read(&spelled)?;
        Ok(Arguments { spelled, value, is_wide })
    }

    /// The verdict of the schema, and what stands in the way of decoding: a value that its type would try in too many ways,
    /// and one that would not be decoded as it was written.
    fn decodable(
        &self,
        tool: &ToolDefinition,
        validator: &Validator,
        verdict: Result<(), Vec<Problem>>,
    ) -> Result<(), Vec<Problem>> {
        let is_declared = tool.declaration().is_some();
        // What is written by hand is not decoded here.
        let mut more = if is_declared { validator.endless(&self.value) } else { Vec::new() };
        if self.is_wide {
            let rounded = numbers::rounded(&self.value, &self.spelled, MOST_PROBLEMS).into_iter();
            // A type of numbers reads the text itself, and has limits that are known.
            let untyped = rounded.filter(|place| !is_declared || !validator.names_a_number(place));
            more.extend(untyped.map(|place| validator.rounded(&place)));
        }
        if more.is_empty() {
            return verdict;
        }
        let mut problems = verdict.err().unwrap_or_default();
        problems.extend(more);
        Err(problems)
    }
}

/// A text as the schema sees it.
pub(crate) fn parsed(text: &str) -> Result<Value, Problem> {
    Arguments::read(text).map(|arguments| arguments.value)
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
