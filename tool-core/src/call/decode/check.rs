//! Validating arguments against the schema, and coercing them.

use std::borrow::Cow;

use serde_json::Value;

use crate::declare::reader::UnreadInput;
use crate::definition::ToolDefinition;
use crate::model::failure::Failure;
use crate::schema::json::children::children;
use crate::schema::json::error_path::{Located, located};
use crate::schema::json::parse::ParsedJson;
use crate::schema::json::pointer::pointer;
use crate::schema::json::{integers, parse};
use crate::schema::leniency::{Coercion, Leniency};
use crate::schema::problem::Problem;
use crate::schema::{Coercions, MAX_PROBLEMS, Validator, repeated};

/// Arguments after validation.
pub(crate) struct Checked<'t> {
    /// The text to decode, with coercions, and without members that are `null` and count as missing.
    pub(crate) text: Cow<'t, str>,
    pub(crate) coercions: Vec<Coercion>,
    /// The problems, if there are any.
    pub(crate) verdict: Result<(), Vec<Problem>>,
}

#[cfg(feature = "tokio")]
impl Checked<'_> {
    /// Returns the same without borrowing the text.
    pub(crate) fn into_owned(self) -> Checked<'static> {
        Checked { text: self.text.into_owned().into(), coercions: self.coercions, verdict: self.verdict }
    }
}

/// From this product of bytes in the arguments and branches in the schema on, validation takes milliseconds.
#[cfg(feature = "tokio")]
const MOST_AT_ONCE: usize = 1 << 18;

/// Beyond this product of values in the arguments and branches in the schema, validation would take many seconds.
const MOST_STEPS: usize = 200_000_000;

/// Returns `true` if validation takes so long that it must not block other tasks.
#[cfg(feature = "tokio")]
pub(crate) fn takes_long(tool: &ToolDefinition, arguments: &[u8]) -> bool {
    // Short arguments are fast with any schema, so that no validator is built.
    const SHORT: usize = 256;
    let bytes = arguments.len();
    let steps = |validator: &Validator| bytes.saturating_mul(validator.breadth());
    bytes > SHORT && tool.validator().is_ok_and(|validator| steps(validator) > MOST_AT_ONCE)
}

/// Reports arguments with more values than can be validated against so many branches.
fn too_many(text: &str, value: &Value, validator: &Validator) -> Option<Problem> {
    fn values(value: &Value) -> usize {
        1 + children(value).map(values).sum::<usize>()
    }
    let breadth = validator.breadth();
    // A text has at most as many values as bytes, so that counting is rarely needed.
    if text.len().saturating_mul(breadth) <= MOST_STEPS || values(value).saturating_mul(breadth) <= MOST_STEPS
    {
        return None;
    }
    let most = MOST_STEPS / breadth;
    let message = format!(
        "expected at most {most} values in all, since each has {breadth} alternatives to be checked against"
    );
    Some(Problem::new("", "schema", message))
}

/// Validates arguments against the schema, and coerces them.
///
/// # Errors
///
/// If they are not JSON.
pub(crate) fn check<'t>(
    tool: &ToolDefinition,
    leniency: Leniency,
    text: &'t str,
) -> Result<Checked<'t>, Failure> {
    let validator = tool.validator().map_err(|error| {
        tracing::error!(gen_ai.tool.name = tool.name(), error, "the input schema is invalid");
        Failure::internal()
    })?;
    let arguments = Arguments::read(text).map_err(|mut problem| {
        problem.path = validator.shown(&problem.path);
        Failure::not_json(tool.name(), problem)
    })?;
    if let Some(problem) = too_many(text, &arguments.value, validator) {
        return Ok(Checked { text: text.into(), coercions: Vec::new(), verdict: Err(vec![problem]) });
    }
    if validator.is_valid(&arguments.value) {
        let verdict = arguments.decodable(tool, validator, Ok(()));
        return Ok(Checked { text: text.into(), coercions: Vec::new(), verdict });
    }
    let Coercions { edits, coercions } = validator.coerce(&arguments.value, leniency);
    let coerced = (!edits.is_empty()).then(|| edits.apply(text));
    // The coerced text is validated. It can be too deep if a string was replaced by its JSON.
    let reread = coerced.as_deref().and_then(|text| Arguments::read(text).ok());
    let Some(reread) = reread else {
        let verdict = arguments.decodable(tool, validator, validator.check(&arguments.value));
        return Ok(Checked { text: text.into(), coercions: Vec::new(), verdict });
    };
    let verdict = reread.decodable(tool, validator, validator.check(&reread.value));
    let text = coerced.unwrap_or_default();
    if verdict.is_err() {
        return Ok(Checked { text: text.into(), coercions, verdict });
    }
    for Coercion { path, kind } in &coercions {
        tracing::info!(gen_ai.tool.name = tool.name(), ?path, %kind, "coerced a string argument");
    }
    Ok(Checked { text: text.into(), coercions, verdict })
}

/// A value for validation: in its text, an integer beyond 2^53 is compared exactly.
struct Arguments<'t> {
    spelled: Cow<'t, str>,
    value: Value,
    /// Whether it may contain an integer that was rounded.
    is_wide: bool,
}

impl<'t> Arguments<'t> {
    fn read(text: &'t str) -> Result<Self, Problem> {
        let spelled = integers::spell_out_integers(text).map_or(Cow::Borrowed(text), Cow::Owned);
        let ParsedJson { value, is_wide } = parse::read(&spelled)?;
        Ok(Arguments { spelled, value, is_wide })
    }

    /// Validates a value. Also reports a value that its type would try in too many ways, or that would decode differently.
    fn decodable(
        &self,
        tool: &ToolDefinition,
        validator: &Validator,
        verdict: Result<(), Vec<Problem>>,
    ) -> Result<(), Vec<Problem>> {
        let is_declared = tool.declaration().is_some();
        // The arguments of a dynamic tool are not decoded here.
        let mut more = if is_declared { validator.endless(&self.value) } else { Vec::new() };
        if self.is_wide {
            let rounded = integers::rounded(&self.value, &self.spelled, MAX_PROBLEMS).into_iter();
            // A number type reads the text itself and has known limits.
            let untyped = rounded.filter(|path| !is_declared || !validator.names_a_number(path));
            more.extend(untyped.map(|path| validator.rounded(&path)));
        }
        if more.is_empty() {
            return verdict;
        }
        let mut problems = verdict.err().unwrap_or_default();
        problems.extend(more);
        Err(problems)
    }
}

/// Returns the value of a text for validation.
pub(crate) fn parsed(text: &str) -> Result<Value, Problem> {
    Arguments::read(text).map(|arguments| arguments.value)
}

/// The longest reason that is shown.
const LONGEST_REASON: usize = 200;

/// Describes an input that its type could not read.
pub(crate) fn explained(unread: &UnreadInput<'_>, validator: &Validator) -> Problem {
    let (path, text, error) = match unread {
        UnreadInput::Missing { path } => {
            let message = format!("missing required input: expected {}", validator.expected(path));
            return Problem::new(path, "required", message);
        }
        UnreadInput::Undecoded { path, text, error } => (path, text, error),
    };
    let Located { path: inner_path, text, key } = located(text, error);
    let path = format!("{path}{inner_path}");
    if let Some(key) = key {
        return misread_key(&path, &key, error, validator);
    }
    let value = serde_json::from_str(text).unwrap_or(Value::Null);
    let mut problem = validator.undecoded(&path, &value);
    let range = unpublished_range(error);
    let shows_value = !validator.conceals(&path) && text.len() <= LONGEST_REASON;
    if value.is_number() && is_out_of_range(error) {
        problem.message.push_str(": out of range");
    } else if shows_value && (value.is_array() || value.is_object()) {
        // The shape is valid, but the type, or a part of it that does not report its path, rejects the value.
        let kind = if value.is_array() { "list" } else { "object" };
        problem.message = format!("invalid {kind}: {}", reason(error));
    } else if shows_value {
        // Some types repeat the value in their error.
        problem.message.push_str(": ");
        problem.message.push_str(&reason(error));
    } else if !range.is_empty() {
        problem.message.push_str(": an integer in it is out of range");
    }
    problem.message.push_str(&range);
    problem
}

/// Returns the range of the integer type that rejected a number, in parentheses, if no schema has it.
fn unpublished_range(error: &serde_json::Error) -> String {
    let reason = reason(error);
    let is_number = ["integer `", "floating point `"].iter().any(|it| reason.contains(it));
    match reason.rsplit_once("expected ") {
        Some((_, "i64" | "isize")) if is_number => format!(" ({} to {})", i64::MIN, i64::MAX),
        Some((_, "u64" | "usize")) if is_number => format!(" (0 to {})", u64::MAX),
        _ => String::new(),
    }
}

/// Reports the key of a map, for which the schema has no path.
fn misread_key(map: &str, key: &str, error: &serde_json::Error, validator: &Validator) -> Problem {
    if validator.conceals(map) {
        return Problem::new(validator.shown(map), "propertyNames", "invalid key (secret)");
    }
    let reason = match reason(error) {
        // The message of `serde_json` says that the key is not a number and mentions quotes, which every key has.
        reason if reason.contains("expected key to be a number in quotes") => "expected a number".to_owned(),
        _ if is_out_of_range(error) => "out of range".to_owned(),
        reason => reason,
    };
    let message = format!("invalid key `{}`: {reason}", repeated(key));
    Problem::new(format!("{map}{}", pointer(key)), "propertyNames", message)
}

/// Returns `true` if this is serde's message for a number out of range, and not one of the author of the type.
fn is_out_of_range(error: &serde_json::Error) -> bool {
    const NUMBERS: [&str; 14] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    ];
    let reason = reason(error);
    let of_a_number = reason.rsplit_once(", expected ").is_some_and(|(_, kind)| NUMBERS.contains(&kind));
    // A syntax error here means a number that `serde_json` could not read to its end.
    !error.is_data() || (reason.starts_with("invalid ") && of_a_number)
}

/// `serde_json` appends a position in the text of one value, which would mislead.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    match text.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
