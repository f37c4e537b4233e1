//! `schema`: the JSON Schema of a tool's arguments or of its output.

use clap::ArgMatches;
use tool_core::{Profile, Registry};

use crate::catalogue::json_text;
use crate::stop::{self, Stop};
use crate::streams::Streams;

/// Prints a schema.
pub(crate) fn schema(registry: &Registry, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let tool = stop::find(registry, name)?;
    let schema = if matches.get_flag("output") {
        tool.output_schema().cloned().ok_or_else(|| Stop::NoOutputSchema(name.to_owned()))?
    } else {
        tool.schema_for(matches.get_one("profile").copied().unwrap_or(Profile::Mcp))?
    };
    Ok(streams.print(&json_text(&schema))?)
}
