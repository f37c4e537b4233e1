//! The way into a tool that is written by hand: its schema says what it takes, and nothing else does.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::call::decode::{ArgumentDecoder, Purpose, invalid};
use crate::call::target::Implementation;
use crate::declare::entry::EntryOutcome;
use crate::declare::reader::UnreadInput;
use crate::definition::ToolDefinition;
use crate::model::failure::Failure;
use crate::schema::json::integers;
use crate::schema::problem::Problem;

/// Enters the tool with the text of its arguments, which the schema has judged.
pub(crate) fn enter(
    decoder: &ArgumentDecoder<'_>,
    text: Cow<'_, str>,
    verdict: Result<(), Vec<Problem>>,
    purpose: Purpose,
) -> Result<EntryOutcome, Failure> {
    if let Err(problems) = verdict {
        return Err(invalid(decoder.tool, problems, &[]));
    }
    match (purpose, decoder.implementation) {
        (Purpose::Validate, _) => Ok(EntryOutcome::Valid),
        (Purpose::Run, Implementation::Dynamic(tool)) => {
            let text = integers::spell_out_integers(&text).unwrap_or_else(|| text.into_owned());
            let arguments = RawValue::from_string(text).map_err(|error| {
                tracing::error!(tool = decoder.tool.name(), %error, "valid arguments are no JSON");
                Failure::internal()
            })?;
            let tool = Arc::clone(tool);
            let context = decoder.context.get().clone();
            let running = async move { tool.call(context, &arguments).await };
            Ok(EntryOutcome::Running(Box::pin(running)))
        }
        (Purpose::Run, Implementation::Declared(_) | Implementation::Absent) => {
            tracing::error!(tool = decoder.tool.name(), "a definition that was written by hand has no tool");
            Err(Failure::internal())
        }
    }
}

/// The failure of arguments that the schema admits and the type of a hand-written tool does not.
pub(crate) fn undecoded(tool: &ToolDefinition, text: &str, error: serde_json::Error) -> Failure {
    let unread = UnreadInput::Undecoded { path: String::new(), text: text.into(), error };
    invalid(tool, Vec::new(), &[unread])
}
