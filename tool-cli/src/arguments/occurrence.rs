//! What was typed, in its order.

use clap::ArgMatches;

use crate::cli::{Flag, Inputs};

/// One thing that was typed.
pub(super) enum Occurrence<'m> {
    /// `key=value` or `key:=json`.
    Pair(&'m str),
    /// `--input-json`.
    Json(&'m str),
    /// The flag of an input, with everything that was given to it, which is something.
    Flag(&'m Flag<'m>, Vec<&'m str>),
}

pub(super) fn in_order<'m>(
    inputs: &'m Inputs<'m>,
    matches: &'m ArgMatches,
) -> impl Iterator<Item = Occurrence<'m>> {
    let mut occurrences: Vec<(usize, Occurrence<'m>)> = Vec::new();
    occurrences.extend(of(matches, "arguments").map(|(index, pair)| (index, Occurrence::Pair(pair))));
    occurrences.extend(of(matches, "input-json").map(|(index, json)| (index, Occurrence::Json(json))));
    for flag in &inputs.flags {
        let given: Vec<_> = of(matches, &flag.id()).collect();
        if let Some((last, _)) = given.last() {
            occurrences
                .push((*last, Occurrence::Flag(flag, given.iter().map(|(_, value)| *value).collect())));
        }
    }
    occurrences.sort_by_key(|(index, _)| *index);
    occurrences.into_iter().map(|(_, occurrence)| occurrence)
}

fn of<'m>(matches: &'m ArgMatches, id: &str) -> impl Iterator<Item = (usize, &'m str)> {
    // What nobody typed need not be part of the grammar.
    let values = matches.try_get_many::<String>(id).ok().flatten();
    let indices = values.as_ref().and_then(|_| matches.indices_of(id));
    indices.into_iter().flatten().zip(values.into_iter().flatten().map(String::as_str))
}
