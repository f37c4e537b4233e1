//! The arguments and the result of a call, in its span.

use tracing::Span;

use crate::definition::ToolDefinition;
use crate::model::output::Output;
use crate::schema::masked;

/// The most bytes that are recorded of each.
const MOST: usize = 16 * 1024;

/// Records the arguments of a call, without its secrets.
pub(super) fn record_arguments(span: &Span, tool: &ToolDefinition, arguments: &[u8]) {
    let arguments = if arguments.is_empty() { b"{}" } else { arguments };
    let arguments = masked(tool.input_schema(), arguments);
    span.record("gen_ai.tool.call.arguments", cut(&String::from_utf8_lossy(&arguments)));
}

/// Records the result of a call.
pub(super) fn record_result(span: &Span, output: &Output) {
    span.record("gen_ai.tool.call.result", cut(&output.value().to_string()));
}

/// Returns the beginning of a text that is too long.
fn cut(text: &str) -> &str {
    let end = (0..=MOST.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}
