//! `run` and `validate`: call a tool, or check its arguments.

mod call;
mod dry_run;
pub(crate) mod output;

use std::borrow::Cow;

use clap::ArgMatches;
use serde_json::{Value, json};
use tool_core::schema::Validation;
use tool_core::{Failure, FailureKind, Registry, ToolDefinition, adapter};

use crate::app::App;
use crate::cli::{self, Format, Inputs};
use crate::elicitation::Answers;
use crate::error::{self, CliError};
use crate::list::json_text;
use crate::skeleton::skeleton;
use crate::streams::Streams;
use crate::style::neutral;
#[cfg(feature = "tasks")]
use crate::task;
use crate::{arguments, identity, yaml};

/// Runs a tool and shows its output.
pub(crate) async fn run(
    app: &App,
    inputs: Option<&Inputs<'_>>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    let tool = error::find_tool(&registry, cli::name(matches))?;
    let inputs = inputs_of(tool, inputs);
    if cli::flag(matches, "skeleton") {
        return Ok(streams.print(&json_text(&skeleton(&registry, tool)))?);
    }
    let answers = Answers::parse(cli::many(matches, "answer"));
    let answers = answers.map_err(|reason| CliError::InvalidAnswer { reason })?;
    let arguments = arguments::gather(&inputs, matches, streams)?;
    if cli::flag(matches, "dry-run") {
        let text =
            dry_run::dry_run(&registry, tool, &arguments, cli::format(matches)).map_err(CliError::call)?;
        return Ok(streams.print(&text)?);
    }
    confirm_if_destructive(&registry, tool, &arguments, matches, streams).map_err(CliError::call)?;
    #[cfg(feature = "tasks")]
    if task::is_wanted(tool, matches) {
        return task::run(app, tool, &arguments, answers, matches, streams).await;
    }
    let limit = cli::one(matches, "timeout").copied();
    let result = call::call(&registry, tool, arguments, limit, answers, streams).await;
    let shown = result.map_err(CliError::call).and_then(|output| output::show(&output, matches, streams));
    // Also after a failure, or if stdout is closed.
    if !streams.ends_now() {
        call::drain(&registry, streams).await;
    }
    shown
}

/// Checks arguments, and prints the verdict to stdout, even if they are invalid.
pub(crate) async fn validate(
    app: &App,
    inputs: Option<&Inputs<'_>>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    let tool = error::find_tool(&registry, cli::name(matches))?;
    let arguments = arguments::gather(&inputs_of(tool, inputs), matches, streams)?;
    let verdict = registry.validate(tool.name(), &arguments);
    let page = match (cli::format(matches), &verdict) {
        (Format::Json, verdict) => format!("{}\n", verdict_json(verdict)),
        (Format::Yaml, verdict) => yaml::text(&verdict_json(verdict)),
        (_, Ok(Validation { coercions: repairs, .. })) => {
            let repairs = repairs.iter().map(|repair| format!("\n- {}", neutral(&repair.to_string())));
            format!("valid{}\n", repairs.collect::<String>())
        }
        (_, Err(failure)) => format!("{}\n", neutral(&failure.text())),
    };
    streams.print(&page)?;
    verdict.map(|_| ()).map_err(CliError::Printed)
}

/// Returns the verdict as JSON: the coercions, or the errors.
fn verdict_json(verdict: &Result<Validation, Failure>) -> Value {
    match verdict {
        Ok(Validation { coercions: repairs, .. }) if repairs.is_empty() => json!({ "valid": true }),
        Ok(Validation { coercions: repairs, .. }) => json!({ "valid": true, "repairs": repairs }),
        Err(failure) => json!({ "valid": false, "errors": failure.problems() }),
    }
}

/// Returns the inputs of the tool. They are those of the command, unless only the caller that was parsed now can see the tool;
/// then there are no flags.
pub(crate) fn inputs_of<'t>(tool: &'t ToolDefinition, inputs: Option<&'t Inputs<'t>>) -> Cow<'t, Inputs<'t>> {
    match inputs.filter(|inputs| inputs.tool.name() == tool.name()) {
        Some(inputs) => Cow::Borrowed(inputs),
        None => Cow::Owned(Inputs { tool, flags: Vec::new(), pairs: Vec::new() }),
    }
}

/// Asks for a confirmation if the call needs one.
fn confirm_if_destructive(
    registry: &Registry,
    tool: &ToolDefinition,
    arguments: &[u8],
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), Failure> {
    if !tool.destructive() || cli::flag(matches, "yes") {
        return Ok(());
    }
    // A declined call is logged like any other.
    confirm(registry, tool, arguments, streams).map_err(|failure| {
        let reply = adapter::refuse(registry, tool.name(), arguments, failure);
        reply.result.err().unwrap_or_else(Failure::internal)
    })
}

/// Asks for confirmation at the terminal.
fn confirm(
    registry: &Registry,
    tool: &ToolDefinition,
    arguments: &[u8],
    streams: &mut Streams,
) -> Result<(), Failure> {
    // A call that would be refused in any case needs no confirmation.
    registry.check_access(tool.name())?;
    registry.validate(tool.name(), arguments)?;
    if !streams.is_interactive() {
        return Err(unconfirmed(tool, "confirm it with --yes"));
    }
    let question = format!("`{}` may delete or overwrite data. Run it? [y/N] ", tool.name());
    match streams.ask(&question) {
        Ok(true) => Ok(()),
        Ok(false) => Err(unconfirmed(tool, "it was not confirmed")),
        Err(error) => Err(unconfirmed(tool, &format!("the answer could not be read: {error}"))),
    }
}

fn unconfirmed(tool: &ToolDefinition, reason: &str) -> Failure {
    let message = format!("`{}` may delete or overwrite data and was not run: {reason}", tool.name());
    Failure::new(FailureKind::Disabled, message)
}
