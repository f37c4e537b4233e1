//! Checks of outputs before they are sent.

use serde_json::Value;

use crate::definition::ToolDefinition;
use crate::definition::compose::OutputSchema;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::output::Output;
use crate::schema::Guarantee;
use crate::schema::json::string::end_of_string;
use crate::schema::problem::Problem;

/// The output settings of a registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outputs {
    /// The largest output in bytes.
    pub(crate) most_bytes: usize,
    /// Whether each output is validated; by default only if its type does not guarantee that it is valid.
    pub(crate) checked: Option<bool>,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { most_bytes: 16 << 20, checked: None }
    }
}

impl Outputs {
    /// Turns an invalid or too large output into a failure.
    ///
    /// A large output is allowed if it is stored, since only a preview is sent.
    pub(super) fn check_output(
        self,
        tool: &ToolDefinition,
        result: &mut Result<Output, Failure>,
        kept: impl FnOnce() -> bool,
    ) {
        let output = match result {
            Ok(output) => output,
            Err(failure) => {
                failure.make_returned(tool.name(), || declared_example(tool));
                if !kept() {
                    failure.shorten(self.most_bytes);
                }
                return;
            }
        };
        let schema = tool.output();
        output.frame(schema.and_then(|schema| schema.wrapped));
        let bytes = output.size();
        if bytes > self.most_bytes && !kept() {
            *result = Err(too_long(tool, bytes, self.most_bytes));
        } else if self.is_checked(tool, schema, output) && !keeps_its_schema(tool, output) {
            *result = Err(Failure::internal());
        }
    }

    /// Returns `true` if this output must be validated, in debug and release builds alike.
    fn is_checked(self, tool: &ToolDefinition, schema: Option<&OutputSchema>, output: &Output) -> bool {
        // No type guarantees the output of a dynamic tool.
        if tool.declaration().is_none() {
            return true;
        }
        self.checked.unwrap_or_else(|| {
            let doubtful = |it: Guarantee| {
                !it.structure || it.numbers && output.structured_text().is_some_and(may_have_null)
            };
            schema.is_some_and(|schema| doubtful(schema.guarantee))
        })
    }
}

/// Returns the example of a call that the tool declares. One that is made from the schema can be invalid for the function.
fn declared_example(tool: &ToolDefinition) -> Option<Value> {
    if tool.examples().is_empty() { None } else { tool.valid_example().cloned() }
}

/// Returns `true` if the JSON may contain `null`, as for a number that is not finite. A text that contains it costs one
/// validation.
fn may_have_null(text: &str) -> bool {
    text.contains("null")
}

fn too_long(tool: &ToolDefinition, bytes: usize, most: usize) -> Failure {
    let name = tool.name();
    let remedy = remedy(tool);
    let message =
        format!("the output of `{name}` has {bytes} bytes, and no more than {most} are sent: {remedy}");
    Failure::new(FailureKind::Failed(Reason::Other), message)
}

/// Returns advice for a smaller output: the inputs that choose a part of it, if there are some.
fn remedy(tool: &ToolDefinition) -> String {
    let inputs: Vec<&str> = tool.inputs().iter().filter_map(|input| input.name.as_deref()).collect();
    let paging: Vec<&str> = inputs.iter().copied().filter(|name| is_paging(name)).collect();
    match (&inputs[..], &paging[..]) {
        ([], _) => "it has no input to ask for less with".to_owned(),
        (inputs, []) => format!("ask for less with {}", listed(inputs)),
        (_, paging) => format!("ask for a part with {}", listed(paging)),
    }
}

/// Returns `true` if the name of an input says that it chooses a part of an output, as `limit`, `page_size` and `maxRows` do.
fn is_paging(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "after", "before", "bytes", "count", "cursor", "limit", "lines", "max", "offset", "page", "skip",
        "take",
    ];
    let separate =
        |c: char| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]);
    let words: String = name.chars().flat_map(separate).collect();
    words.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    let noun = if names.len() == 1 { "the input" } else { "the inputs" };
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let others = if names.len() > MOST { " and others" } else { "" };
    format!("{noun} {}{others}", shown.join(", "))
}

/// Returns `true` if the output is valid by its schema. Otherwise the log has the path, but no value.
fn keeps_its_schema(tool: &ToolDefinition, output: &Output) -> bool {
    if tool.output_validator().is_some() && output.structured_text().is_some_and(is_too_deep) {
        tracing::error!(gen_ai.tool.name = tool.name(), "output is nested too deeply to validate");
        return false;
    }
    let problems = tool.output_problems(output);
    if problems.is_empty() {
        return true;
    }
    let value = output.structured_text().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let places = problems.iter().map(|problem| place(problem, value.as_ref())).collect::<Vec<_>>();
    let broken = places.join(", ");
    tracing::error!(gen_ai.tool.name = tool.name(), broken, "output does not match its schema");
    false
}

/// Returns where an output breaks its schema, and how. Of the value it only says that it is `null`: that is what serde makes of
/// a number that JSON does not have, and hard to find in the code of a tool.
fn place(problem: &Problem, output: Option<&Value>) -> String {
    let Problem { keyword, path, .. } = problem;
    let is_null = output.and_then(|output| output.pointer(path)).is_some_and(Value::is_null);
    let note = if is_null { " (it is null, as NaN and infinity are in JSON)" } else { "" };
    format!("{keyword} at {path:?}{note}")
}

/// Returns `true` if a text is nested more deeply than parsers allow.
fn is_too_deep(text: &str) -> bool {
    let (mut level, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_string(bytes, at + 1);
                continue;
            }
            b'[' | b'{' if level == DEEPEST => return true,
            b'[' | b'{' => level += 1,
            b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    false
}

/// The depth that `serde_json` parses.
const DEEPEST: usize = 127;
