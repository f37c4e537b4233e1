//! Who calls: the local user, or whom `--as` and `--grant` say.

pub(crate) mod into_identity;

use std::ffi::OsString;

use clap::ArgMatches;
use tool_core::failure::Reason;
use tool_core::{Failure, FailureKind, Principal, Registry};

use crate::app::App;
use crate::cli;
use crate::error::CliError;

/// Returns the registry as the caller sees it.
pub(crate) async fn registry(app: &App, matches: &ArgMatches) -> Result<Registry, CliError> {
    let id = cli::one::<String>(matches, "as").map(String::as_str);
    let grants = cli::many::<String>(matches, "grant").map(String::as_str);
    let fail = |kind, message| Err(CliError::call(Failure::new(kind, message)));
    match registry_as(app, id, grants).await {
        Ok(Some(registry)) => Ok(registry),
        Ok(None) => {
            fail(FailureKind::Unauthenticated, format!("unknown caller `{}`", id.unwrap_or_default()))
        }
        Err(error) => fail(
            FailureKind::Failed(Reason::Unavailable),
            format!("`{}` cannot be looked up: {error}", id.unwrap_or_default()),
        ),
    }
}

/// Returns the registry for the caller in an incomplete command line, or for the local user if the caller is unknown.
pub(crate) async fn guess_registry(app: &App, words: &[OsString]) -> Registry {
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
    registry_as(app, values("--as").first().copied(), values("--grant").into_iter())
        .await
        .ok()
        .flatten()
        .unwrap_or_else(|| app.registry.clone())
}

async fn registry_as<'g>(
    app: &App,
    id: Option<&str>,
    grants: impl Iterator<Item = &'g str>,
) -> Result<Option<Registry>, String> {
    let caller = match (id, &app.identities) {
        (None, _) => app.registry.principal().clone(),
        (Some(id), None) => Principal::new(id),
        (Some(id), Some(identities)) => match identities(id).await? {
            Some(principal) => principal,
            None => return Ok(None),
        },
    };
    Ok(Some(app.registry.as_principal(grants.fold(caller, Principal::grant))))
}
