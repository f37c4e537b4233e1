//! Who calls: the local user, or whom `--as` and `--grant` say.

use std::ffi::OsString;

use clap::ArgMatches;
use tool_core::{Failure, FailureKind, Principal, Registry};

use crate::app::App;
use crate::stop::Stop;

/// What an application makes of `--as ID`.
pub(crate) type Identities = Box<dyn Fn(&str) -> Option<Principal> + Send + Sync>;

/// The registry as the caller sees it.
pub(crate) fn registry(app: &App, matches: &ArgMatches) -> Result<Registry, Stop> {
    let id = matches.get_one::<String>("as").map(String::as_str);
    let grants = matches.get_many::<String>("grant").into_iter().flatten().map(String::as_str);
    of(app, id, grants).ok_or_else(|| {
        let message = format!("this application knows nobody called `{}`", id.unwrap_or_default());
        Stop::call(Failure::new(FailureKind::Unauthenticated, message))
    })
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
        .unwrap_or_else(|| app.registry.clone())
}

fn of<'g>(app: &App, id: Option<&str>, grants: impl Iterator<Item = &'g str>) -> Option<Registry> {
    let caller = match (id, &app.identities) {
        (None, _) => app.registry.principal().clone(),
        (Some(id), None) => Principal::new(id),
        (Some(id), Some(identities)) => identities(id)?,
    };
    Some(app.registry.as_principal(grants.fold(caller, Principal::grant)))
}
