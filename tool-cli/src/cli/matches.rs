//! Reading what was typed. A command line without options is read by a grammar that has none: what nobody typed need not be
//! known to it.

use std::any::Any;

use clap::ArgMatches;
use clap::parser::{MatchesError, ValueSource};

use crate::streams::Verbosity;

/// Whether this switch was typed.
pub(crate) fn flag(matches: &ArgMatches, id: &str) -> bool {
    one::<bool>(matches, id).copied().unwrap_or_default()
}

/// The value of this option, typed or by default.
pub(crate) fn one<'m, T: Any + Clone + Send + Sync>(matches: &'m ArgMatches, id: &str) -> Option<&'m T> {
    if_defined(matches.try_get_one(id)).flatten()
}

/// Every value of this option.
pub(crate) fn many<'m, T: Any + Clone + Send + Sync>(
    matches: &'m ArgMatches,
    id: &str,
) -> impl Iterator<Item = &'m T> {
    if_defined(matches.try_get_many(id)).flatten().into_iter().flatten()
}

/// What was read, if the grammar knows of it.
fn if_defined<T>(read: Result<T, MatchesError>) -> Option<T> {
    debug_assert!(!matches!(read, Err(MatchesError::Downcast { .. })), "an option is read as what it is");
    read.ok()
}

/// What `--color` says, unless that is `auto`.
pub(crate) fn color(matches: &ArgMatches) -> Option<bool> {
    match one::<String>(matches, "color")?.as_str() {
        "always" => Some(true),
        "never" => Some(false),
        _ => None,
    }
}

/// How much should be said on stderr.
pub(crate) fn verbosity(matches: &ArgMatches) -> Verbosity {
    match (flag(matches, "quiet"), flag(matches, "verbose")) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    }
}

/// How a command shows its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Sentences, tables and plain values.
    Text,
    Markdown,
    Json,
    Yaml,
    /// Names alone.
    Name,
}

/// How the command was asked to show its result.
pub(crate) fn format(matches: &ArgMatches) -> Format {
    match one::<String>(matches, "format").map(String::as_str) {
        Some("markdown") => Format::Markdown,
        Some("json") => Format::Json,
        Some("yaml") => Format::Yaml,
        Some("name") => Format::Name,
        _ => Format::Text,
    }
}

/// The format of whoever asked for data, and so finds a failure as data too.
pub(crate) fn data_format(matches: &ArgMatches) -> Option<Format> {
    let format = format(matches);
    let typed = matches!(format, Format::Json | Format::Yaml)
        && matches.value_source("format") == Some(ValueSource::CommandLine);
    typed.then_some(format)
}

/// The name of the tool.
pub(crate) fn name(matches: &ArgMatches) -> &str {
    one::<String>(matches, "name").map_or("", String::as_str)
}
