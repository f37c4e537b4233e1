//! `info`: everything that is declared about one tool.

mod data;
mod facts;
mod page;
pub(crate) mod path;

use clap::ArgMatches;
use serde_json::json;
use tool_core::{Registry, ToolDefinition};

use crate::app::App;
use crate::catalogue::json_text;
use crate::grammar::{self, Format};
use crate::stop::{self, Stop};
use crate::streams::Streams;
use crate::{identity, yaml};

/// A tool as one caller sees it.
pub(crate) struct VisibleTool<'t> {
    pub(crate) program: &'t str,
    pub(crate) registry: &'t Registry,
    pub(crate) tool: &'t ToolDefinition,
}

/// Tells everything that is declared about a tool, or about a part of what it takes and returns.
pub(crate) fn info(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let registry = identity::registry(app, matches)?;
    let tool = stop::find(&registry, grammar::name(matches))?;
    let format = grammar::format(matches);
    let (width, paint) = (streams.width(), streams.paint());
    let page = if let Some(path) = grammar::one::<String>(matches, "path") {
        let part = part(tool, path, grammar::flag(matches, "output"))?;
        match format {
            Format::Json => json_text(&json!(part)),
            Format::Yaml => yaml::text(&json!(part)),
            Format::Markdown => page::part(path, &part).markdown(),
            _ => page::part(path, &part).text(width, paint),
        }
    } else {
        let told = VisibleTool { program: &app.name, registry: &registry, tool };
        match format {
            Format::Json => json_text(&data::object(&told)),
            Format::Yaml => yaml::text(&data::object(&told)),
            Format::Markdown => page::markdown(&told),
            _ => page::text(&told, width, paint),
        }
    };
    Ok(streams.print(&page)?)
}

fn part(tool: &ToolDefinition, path: &str, of_output: bool) -> Result<tool_core::schema::NativeSchema, Stop> {
    let found = if of_output {
        let output = tool.outputs().ok_or_else(|| Stop::NoOutputSchema(tool.name().to_owned()))?;
        path::within(output, path)
    } else {
        path::among(tool.inputs(), path)
    };
    found.map_err(|error| Stop::NoPart { tool: tool.name().to_owned(), error })
}
