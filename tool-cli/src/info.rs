//! `info`: shows the declaration of a tool.

mod data;
mod facts;
pub(crate) mod path;
mod render;

use clap::ArgMatches;
use serde_json::json;
use tool_core::{Registry, ToolDefinition};

use crate::app::App;
use crate::cli::{self, Format};
use crate::error::{self, CliError};
use crate::list::json_text;
use crate::streams::Streams;
use crate::{identity, yaml};

/// A tool as one caller sees it.
pub(crate) struct VisibleTool<'t> {
    pub(crate) program: &'t str,
    pub(crate) registry: &'t Registry,
    pub(crate) tool: &'t ToolDefinition,
}

/// Shows the declaration of a tool, or a part of its inputs or output.
pub(crate) async fn info(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    let tool = error::find_tool(&registry, cli::name(matches))?;
    let format = cli::format(matches);
    let (width, paint) = (streams.width(), streams.paint());
    let page = if let Some(path) = cli::one::<String>(matches, "path") {
        let part = part(tool, path, cli::flag(matches, "output"))?;
        match format {
            Format::Json => json_text(&json!(part)),
            Format::Yaml => yaml::text(&json!(part)),
            Format::Markdown => render::part(path, &part).markdown(),
            _ => render::part(path, &part).text(width, paint),
        }
    } else {
        let tool = VisibleTool { program: &app.name, registry: &registry, tool };
        match format {
            Format::Json => json_text(&data::object(&tool)),
            Format::Yaml => yaml::text(&data::object(&tool)),
            Format::Markdown => render::markdown(&tool),
            _ => render::text(&tool, width, paint),
        }
    };
    Ok(streams.print(&page)?)
}

/// Returns a page of text about a tool, without what only holds on this machine or for one caller.
#[cfg(feature = "publish")]
pub(crate) fn reference(program: &str, registry: &Registry, tool: &ToolDefinition, width: u16) -> String {
    render::reference(&VisibleTool { program, registry, tool }, width)
}

fn part(
    tool: &ToolDefinition,
    path: &str,
    of_output: bool,
) -> Result<tool_core::schema::NativeSchema, CliError> {
    let result = if of_output {
        let output = tool.outputs().ok_or_else(|| CliError::NoOutputSchema(tool.name().to_owned()))?;
        path::find_output(output, path)
    } else {
        path::find_input(tool.inputs(), path)
    };
    result.map_err(|error| CliError::UnknownPart { tool: tool.name().to_owned(), error })
}
