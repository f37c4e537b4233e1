//! Who calls: the local user, or whom `--as` and `--grant` say.

use std::ffi::OsString;
use std::fmt::Display;

use clap::ArgMatches;
use tool_core::failure::Reason;
use tool_core::{Failure, FailureKind, Principal, Registry};

use crate::app::App;
use crate::grammar;
use crate::stop::Stop;

/// What an application answers when it is asked [who is meant](App::identities) by `--as ID`: a caller or nobody, or that it
/// could not be looked up.
///
/// ```
/// use tool_cli::Identified;
/// use tool_core::Principal;
///
/// let nobody: Option<Principal> = None;
/// assert_eq!(nobody.identified(), Ok(None));
/// let unread: Result<Option<Principal>, &str> = Err("the users cannot be read");
/// assert_eq!(unread.identified(), Err("the users cannot be read".to_owned()));
/// ```
pub trait Identified {
    /// The caller, or nobody.
    ///
    /// # Errors
    ///
    /// Why it is not known who is meant, in words that whoever typed the command may read.
    fn identified(self) -> Result<Option<Principal>, String>;
}

impl Identified for Option<Principal> {
    fn identified(self) -> Result<Option<Principal>, String> {
        Ok(self)
    }
}

impl<E: Display> Identified for Result<Option<Principal>, E> {
    fn identified(self) -> Result<Option<Principal>, String> {
        self.map_err(|error| error.to_string())
    }
}

/// What an application makes of `--as ID`.
pub(crate) type Identities = Box<dyn Fn(&str) -> Result<Option<Principal>, String> + Send + Sync>;

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
