//! What an output has to be before it is sent.

use serde_json::Value;

use crate::definition::ToolDefinition;
use crate::failure::{Failure, FailureKind, Reason};
use crate::output::Output;

/// What a registry asks of the outputs of its tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outputs {
    /// A longer one is not sent.
    pub(crate) most_bytes: usize,
    /// Whether each is checked against the schema that its tool has published.
    pub(crate) checked: bool,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { most_bytes: 16 << 20, checked: cfg!(debug_assertions) }
    }
}

impl Outputs {
    /// The output as it is sent, or why it is not.
    pub(super) fn judge(
        self,
        tool: &ToolDefinition,
        result: Result<Output, Failure>,
    ) -> Result<Output, Failure> {
        let mut output = result?;
        output.frame(tool.wrapped());
        let bytes = output.size();
        if bytes > self.most_bytes {
            let message = format!(
                "the output of `{}` has {bytes} bytes, and no more than {} are sent: ask for less",
                tool.name(),
                self.most_bytes,
            );
            return Err(Failure::new(FailureKind::Failed(Reason::Other), message));
        }
        // No type stands behind what a hand-written tool promises.
        if self.checked || tool.declaration().is_none() { keeps_its_schema(tool, output) } else { Ok(output) }
    }
}

/// The output, if it is what the tool has promised. Its values are not told: only where they break the promise.
fn keeps_its_schema(tool: &ToolDefinition, output: Output) -> Result<Output, Failure> {
    let Some(validator) = tool.output_validator() else { return Ok(output) };
    let value = output.structured_text().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let broken = match &value {
        None => "it has no structured output".to_owned(),
        Some(value) => {
            let places = validator.problems(value).into_iter();
            let places: Vec<_> =
                places.map(|problem| format!("{} at {:?}", problem.keyword, problem.path)).collect();
            places.join(", ")
        }
    };
    if broken.is_empty() {
        return Ok(output);
    }
    tracing::error!(tool = tool.name(), broken, "an output is not what its schema says");
    Err(Failure::internal())
}
