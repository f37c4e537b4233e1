//! What was typed, in its order.

use clap::ArgMatches;

use crate::grammar::{Flag, Inputs};

/// One thing that was typed.
pub(super) enum Typed<'m> {
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
) -> impl Iterator<Item = Typed<'m>> {
    let mut typed: Vec<(usize, Typed<'m>)> = Vec::new();
    typed.extend(of(matches, "arguments").map(|(index, pair)| (index, Typed::Pair(pair))));
    typed.extend(of(matches, "input-json").map(|(index, json)| (index, Typed::Json(json))));
    for flag in &inputs.flags {
        let given: Vec<_> = of(matches, &flag.id()).collect();
        if let Some((last, _)) = given.last() {
            typed.push((*last, Typed::Flag(flag, given.iter().map(|(_, value)| *value).collect())));
        }
    }
    typed.sort_by_key(|(index, _)| *index);
    typed.into_iter().map(|(_, typed)| typed)
}

fn of<'m>(matches: &'m ArgMatches, id: &str) -> impl Iterator<Item = (usize, &'m str)> {
    // What nobody typed need not be part of the grammar.
    let values = matches.try_get_many::<String>(id).ok().flatten();
    let indices = values.as_ref().and_then(|_| matches.indices_of(id));
    indices.into_iter().flatten().zip(values.into_iter().flatten().map(String::as_str))
}
