//! Who calls: the local user, or whom `--as` and `--grant` say.

pub(crate) mod identified;

use std::ffi::OsString;

use clap::ArgMatches;
use tool_core::failure::Reason;
use tool_core::{Failure, FailureKind, Principal, Registry};

use crate::app::App;
use crate::grammar;
use crate::stop::Stop;

/// The registry as the caller sees it.
pub(crate) fn registry(app: &App, matches: &ArgMatches) -> Result<Registry, Stop> {
    let id = grammar::one::<String>(matches, "as").map(String::as_str);
    let grants = grammar::many::<String>(matches, "grant").map(String::as_str);
    let stop = |kind, message| Err(Stop::call(Failure::new(kind, message)));
    match of(app, id, grants) {
        Ok(Some(registry)) => Ok(registry),
        Ok(None) => stop(
            FailureKind::Unauthenticated,
            format!("this application knows nobody called `{}`", id.unwrap_or_default()),
        ),
        Err(error) => stop(
            FailureKind::Failed(Reason::Unavailable),
            format!("`{}` cannot be looked up: {error}", id.unwrap_or_default()),
        ),
    }
}

/// The registry as whoever is named by these words sees it, before it is known whether the words make a command; of
/// somebody whom nobody knows, as the local user does.
pub(crate) fn likely(app: &App, words: &[OsString]) -> Registry {
    let words: Vec<&str> =
        words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--").collect();
    let values = |option: &str| {
        let inline = format!("{option}=");
        let next = words.iter().skip(1).map(|word| Some(*word)).chain([None]);
        words
            .iter()
            .zip(next)
            .filter_map(|(word, next)| {
                word.strip_prefix(&inline).or(if *word == option { next } else { None })
            })
            .collect::<Vec<_>>()
    };
    of(app, values("--as").first().copied(), values("--grant").into_iter())
        .ok()
        .flatten()
        .unwrap_or_else(|| app.registry.clone())
}

fn of<'g>(
    app: &App,
    id: Option<&str>,
    grants: impl Iterator<Item = &'g str>,
) -> Result<Option<Registry>, String> {
    let caller = match (id, &app.identities) {
        (None, _) => app.registry.principal().clone(),
        (Some(id), None) => Principal::new(id),
        (Some(id), Some(identities)) => match identities(id)? {
            Some(known) => known,
            None => return Ok(None),
        },
    };
    Ok(Some(app.registry.as_principal(grants.fold(caller, Principal::grant))))
}
