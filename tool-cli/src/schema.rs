//! `schema`: the JSON Schema of a tool's arguments or of its output.

use clap::ArgMatches;
use tool_core::profile::Profile;

use crate::app::App;
use crate::cli::{self, Format};
use crate::error::{self, CliError};
use crate::list::json_text;
use crate::streams::Streams;
use crate::{identity, yaml};

/// Prints a schema.
pub(crate) async fn schema(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let name = cli::name(matches);
    let registry = identity::registry(app, matches).await?;
    let tool = error::find_tool(&registry, name)?;
    let schema = if cli::flag(matches, "output") {
        tool.output_schema().cloned().ok_or_else(|| CliError::NoOutputSchema(name.to_owned()))?
    } else {
        tool.schema_for(cli::one(matches, "profile").copied().unwrap_or(Profile::Mcp))?
    };
    let page = if cli::format(matches) == Format::Yaml { yaml::text(&schema) } else { json_text(&schema) };
    Ok(streams.print(&page)?)
}
