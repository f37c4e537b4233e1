//! Who sends a request.

use axum::http::header;
use axum::http::request::Parts;
use tool_core::Principal;
use tool_core::authentication::{AuthenticationError, identify};

use crate::error::ApiError;
use crate::options::Options;

/// Who sends a request; `None` where neither the application nor an authenticator says.
///
/// # Errors
///
/// When the authenticator refuses the request, or cannot decide.
pub(crate) async fn authenticate(options: &Options, head: &Parts) -> Result<Option<Principal>, ApiError> {
    identify(options.authenticator.as_deref(), head).await.map_err(|error| match error {
        AuthenticationError::Refused { challenge } => ApiError::Unauthorized { challenge },
        _ => ApiError::AuthenticationUnavailable,
    })
}

/// Who sends a request that need not say so: `None` where it does not, or not rightly.
pub(crate) async fn authenticate_optional(options: &Options, head: &Parts) -> Option<Principal> {
    let has_principal = head.extensions.get::<Principal>().is_some_and(is_identified);
    let has_authorization =
        options.authenticator.is_some() && head.headers.contains_key(header::AUTHORIZATION);
    // What is public is no reason to turn anybody away.
    if has_principal || has_authorization { authenticate(options, head).await.ok().flatten() } else { None }
}

/// Who sends a request that must say so.
///
/// # Errors
///
/// As [`authenticate`], and when nobody has found out.
pub(crate) async fn require(options: &Options, head: &Parts) -> Result<Principal, ApiError> {
    let sender = authenticate(options, head).await?;
    // Whom an authenticator lets in is its own affair.
    let sender = sender.filter(|sender| options.authenticator.is_some() || is_identified(sender));
    sender.ok_or_else(ApiError::unauthorized)
}

fn is_identified(principal: &Principal) -> bool {
    principal.id().is_some()
}
