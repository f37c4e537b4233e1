//! What an output has to be before it is sent.

use crate::definition::ToolDefinition;
use crate::definition::compose::OutputSchema;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::output::Output;
use crate::schema::Guarantee;
use crate::schema::json::string::end_of_string;

/// What a registry asks of the outputs of its tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outputs {
    /// A longer one is not sent.
    pub(crate) most_bytes: usize,
    /// Whether each is checked against the schema that its tool has published; where nobody has decided, what its type does
    /// not guarantee.
    pub(crate) checked: Option<bool>,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { most_bytes: 16 << 20, checked: None }
    }
}

impl Outputs {
    /// Makes the output what is sent, or a failure of it.
    ///
    /// What is too long is a failure, unless something keeps it: so much of it is then sent as there is room for.
    pub(super) fn check_output(
        self,
        tool: &ToolDefinition,
        result: &mut Result<Output, Failure>,
        kept: impl FnOnce() -> bool,
    ) {
        let output = match result {
            Ok(output) => output,
            Err(failure) => {
                failure.make_returned();
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
}

impl Outputs {
    /// Whether this output is held against its schema: the same in every build.
    fn is_checked(self, tool: &ToolDefinition, schema: Option<&OutputSchema>, output: &Output) -> bool {
        // No type stands behind what a hand-written tool promises.
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

/// Whether a `null` was written, as a number that is not finite is. A text that says so costs a check and no more.
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

/// How a caller asks for less: with the inputs that choose a part of an output, or else with any.
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

/// Whether the output is what the tool has promised. Of one that is not the log tells where, and no value.
fn keeps_its_schema(tool: &ToolDefinition, output: &Output) -> bool {
    if tool.output_validator().is_some() && output.structured_text().is_some_and(is_too_deep) {
        tracing::error!(tool = tool.name(), "an output is nested too deeply to be held against its schema");
        return false;
    }
    let places = tool.output_problems(output).into_iter();
    let places: Vec<_> = places.map(|problem| format!("{} at {:?}", problem.keyword, problem.path)).collect();
    let broken = places.join(", ");
    if !broken.is_empty() {
        tracing::error!(tool = tool.name(), broken, "an output is not what its schema says");
    }
    broken.is_empty()
}

/// Whether a text has more levels than a reader of JSON follows.
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

/// The levels that `serde_json` reads.
const DEEPEST: usize = 127;
