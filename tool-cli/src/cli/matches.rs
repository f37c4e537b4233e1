//! Reads the matches of clap. Options may be undefined, because a command without options may have been used.

use std::any::Any;

use clap::ArgMatches;
use clap::parser::{MatchesError, ValueSource};

use crate::streams::Verbosity;

/// Returns `true` if this switch is set.
pub(crate) fn flag(matches: &ArgMatches, id: &str) -> bool {
    one::<bool>(matches, id).copied().unwrap_or_default()
}

/// Returns the value of this option, or its default.
pub(crate) fn one<'m, T: Any + Clone + Send + Sync>(matches: &'m ArgMatches, id: &str) -> Option<&'m T> {
    if_defined(matches.try_get_one(id)).flatten()
}

/// Returns all values of this option.
pub(crate) fn many<'m, T: Any + Clone + Send + Sync>(
    matches: &'m ArgMatches,
    id: &str,
) -> impl Iterator<Item = &'m T> {
    if_defined(matches.try_get_many(id)).flatten().into_iter().flatten()
}

/// Returns the value, if the command defines the option.
fn if_defined<T>(read: Result<T, MatchesError>) -> Option<T> {
    debug_assert!(!matches!(read, Err(MatchesError::Downcast { .. })), "an option is read as what it is");
    read.ok()
}

/// Returns the value of `--color`; `None` for `auto`.
pub(crate) fn color(matches: &ArgMatches) -> Option<bool> {
    match one::<String>(matches, "color")?.as_str() {
        "always" => Some(true),
        "never" => Some(false),
        _ => None,
    }
}

/// Returns the verbosity of stderr.
pub(crate) fn verbosity(matches: &ArgMatches) -> Verbosity {
    match (flag(matches, "quiet"), flag(matches, "verbose")) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    }
}

/// The output format of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Sentences, tables and plain values.
    Text,
    Markdown,
    Json,
    Yaml,
    /// Only names.
    Name,
}

/// Returns the output format.
pub(crate) fn format(matches: &ArgMatches) -> Format {
    match one::<String>(matches, "format").map(String::as_str) {
        Some("markdown") => Format::Markdown,
        Some("json") => Format::Json,
        Some("yaml") => Format::Yaml,
        Some("name") => Format::Name,
        _ => Format::Text,
    }
}

/// Returns the format if a data format was given on the command line. Failures are then printed in it, too.
pub(crate) fn data_format(matches: &ArgMatches) -> Option<Format> {
    let format = format(matches);
    let typed = matches!(format, Format::Json | Format::Yaml)
        && matches.value_source("format") == Some(ValueSource::CommandLine);
    typed.then_some(format)
}

/// Returns the name of the tool.
pub(crate) fn name(matches: &ArgMatches) -> &str {
    one::<String>(matches, "name").map_or("", String::as_str)
}
