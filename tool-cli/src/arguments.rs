//! The arguments of a call, gathered from everything that was typed into one JSON text.
//!
//! There are two kinds of source: all that is given input by input (`key=value`, `key:=json`, flags) together, and each
//! `--input-json`. Within a source an input is given once; between sources the one that was typed later counts. Values
//! stay texts throughout, so that a number reaches the tool with all of its digits.

mod members;
mod occurrence;
mod source;
pub(crate) mod value;

use std::collections::HashSet;

use clap::ArgMatches;

use members::Members;
pub(crate) use members::{Member, members};

use crate::arguments::occurrence::{Occurrence, in_order};
use crate::arguments::source::Source;
use crate::cli::{FlagKind, Inputs};
use crate::error::CliError;
use crate::streams::Streams;

/// Returns the arguments as JSON.
///
/// An `--input-json` that is not a JSON object, or has a member twice, is returned unchanged: the call reports the problem in the
/// same words as on every other interface.
pub(crate) fn gather(
    inputs: &Inputs<'_>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<Vec<u8>, CliError> {
    let mut gathered = Members::default();
    let mut seen = HashSet::new();
    let mut source = Source::new(streams);
    let mut switch = None;
    for occurrence in in_order(inputs, matches) {
        let after_switch = switch.take();
        match occurrence {
            Occurrence::Pair(pair) => {
                if let (Some(flag), "true" | "false") = (after_switch, pair) {
                    return Err(CliError::SwitchValue { flag, given: pair.to_owned() });
                }
                let (key, value) = value::assignment(inputs.tool, pair, &seen)?;
                claim(&mut seen, &key)?;
                source.warn_if_secret(inputs.tool, &key);
                gathered.set(key, value);
            }
            Occurrence::Flag(flag, values) => {
                switch = (flag.kind == FlagKind::Switch).then(|| flag.long.clone());
                let key = flag.input.name.as_deref().unwrap_or_default();
                claim(&mut seen, key)?;
                let value = match flag.kind {
                    FlagKind::List => value::list(flag.input, &values),
                    FlagKind::File => value::parse_typed(Some(flag.input), &source.secret_file(values[0])?),
                    FlagKind::Variable => value::parse_typed(Some(flag.input), &source.variable(values[0])?),
                    FlagKind::Value | FlagKind::Switch => value::parse_typed(Some(flag.input), values[0]),
                };
                gathered.set(key.to_owned(), value);
            }
            Occurrence::Json(given) => {
                let text = source.json(given)?;
                let Some(members) = members(&text) else { return Ok(text) };
                for (key, value) in members {
                    if source::is_inline(given) {
                        source.warn_if_secret(inputs.tool, &key);
                    }
                    gathered.set(key, value);
                }
            }
        }
    }
    Ok(gathered.text().into_bytes())
}

/// Adds an input to those that were given.
fn claim(seen: &mut HashSet<String>, key: &str) -> Result<(), CliError> {
    if seen.insert(key.to_owned()) { Ok(()) } else { Err(CliError::DuplicateInput { key: key.to_owned() }) }
}
