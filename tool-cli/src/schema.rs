//! `schema`: the JSON Schema of a tool's arguments or of its output.

use clap::ArgMatches;
use tool_core::profile::Profile;

use crate::app::App;
use crate::catalogue::json_text;
use crate::grammar::{self, Format};
use crate::stop::{self, Stop};
use crate::streams::Streams;
use crate::{identity, yaml};

/// Prints a schema.
pub(crate) fn schema(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let name = grammar::name(matches);
    let registry = identity::registry(app, matches)?;
    let tool = stop::find(&registry, name)?;
    let schema = if grammar::flag(matches, "output") {
        tool.output_schema().cloned().ok_or_else(|| Stop::NoOutputSchema(name.to_owned()))?
    } else {
        tool.schema_for(grammar::one(matches, "profile").copied().unwrap_or(Profile::Mcp))?
    };
    let page =
        if grammar::format(matches) == Format::Yaml { yaml::text(&schema) } else { json_text(&schema) };
    Ok(streams.print(&page)?)
}
