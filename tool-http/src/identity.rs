//! Who sends a request.

use axum::http::header;
use axum::http::request::Parts;
use tool_core::Principal;
use tool_core::authentication::{AuthenticationError, identify};

use crate::options::Options;
use crate::refusal::Refusal;

/// Who sends a request; `None` where neither the application nor an authenticator says.
///
/// # Errors
///
/// When the authenticator refuses the request, or cannot decide.
pub(crate) async fn of(options: &Options, head: &Parts) -> Result<Option<Principal>, Refusal> {
    identify(options.authenticator.as_deref(), head).await.map_err(|error| match error {
        AuthenticationError::Refused { challenge } => Refusal::Unauthorized { challenge },
        _ => Refusal::IdentityUnknown,
    })
}

/// Who sends a request that need not say so: `None` where it does not, or not rightly.
pub(crate) async fn offered(options: &Options, head: &Parts) -> Option<Principal> {
    let said = head.extensions.get::<Principal>().is_some_and(is_named);
    let authorized = options.authenticator.is_some() && head.headers.contains_key(header::AUTHORIZATION);
    // What is public is no reason to turn anybody away.
    if said || authorized { of(options, head).await.ok().flatten() } else { None }
}

/// Who sends a request that must say so.
///
/// # Errors
///
/// As [`of`], and when nobody has found out.
pub(crate) async fn demanded(options: &Options, head: &Parts) -> Result<Principal, Refusal> {
    let sender = of(options, head).await?;
    // Whom an authenticator lets in is its own affair.
    let sender = sender.filter(|sender| options.authenticator.is_some() || is_named(sender));
    sender.ok_or_else(Refusal::unauthorized)
}

fn is_named(principal: &Principal) -> bool {
    principal.id().is_some()
}
