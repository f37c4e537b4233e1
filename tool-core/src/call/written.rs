//! The way into a tool that is written by hand: its schema says what it takes, and nothing else does.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::call::{Purpose, check, invalid, numbers};
use crate::context::LazyContext;
use crate::definition::ToolDefinition;
use crate::entry::Step;
use crate::failure::Failure;
use crate::tool::Tool;

/// Enters the tool with the text of its arguments.
pub(super) fn enter(
    definition: &ToolDefinition,
    tool: &Arc<dyn Tool>,
    context: &LazyContext<'_>,
    text: &str,
    purpose: Purpose,
) -> Result<Step, Failure> {
    let text = check(definition, text)?.map_err(|problems| invalid(definition, problems))?;
    if let Purpose::Validate = purpose {
        return Ok(Step::Valid);
    }
    let text = numbers::spell_out_integers(&text).map_or(text, Cow::Owned).into_owned();
    let arguments = RawValue::from_string(text).map_err(|error| {
        tracing::error!(tool = definition.name(), %error, "valid arguments are no JSON");
        Failure::internal()
    })?;
    let (definition, tool, context) = (definition.clone(), Arc::clone(tool), context.get().clone());
    Ok(Step::Running(Box::pin(async move {
        let output = tool.call(context, &arguments).await?;
        definition.check_output(&output)?;
        Ok(output)
    })))
}
