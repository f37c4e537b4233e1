//! `openapi`: the OpenAPI document that the application makes.

pub(crate) mod document;

use clap::ArgMatches;

use crate::app::App;
use crate::cli::{self, Format};
use crate::error::CliError;
use crate::list::json_text;
use crate::streams::Streams;
use crate::{identity, yaml};

/// Prints the document in a version.
pub(crate) async fn openapi(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    let version = cli::one::<String>(matches, "version");
    let document = app.openapi.iter().find(|document| Some(&document.version) == version);
    let document = document.map(|document| (document.render)(&registry)).unwrap_or_default();
    let page =
        if cli::format(matches) == Format::Yaml { yaml::text(&document) } else { json_text(&document) };
    Ok(streams.print(&page)?)
}
