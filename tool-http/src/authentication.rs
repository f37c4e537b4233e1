//! Authentication of requests.

use axum::http::header;
use axum::http::request::Parts;
use tool_core::Principal;
use tool_core::authentication::{AuthenticationError, identify};

use crate::error::ApiError;
use crate::options::Options;

/// Returns the caller of a request; `None` without an authenticator or a principal of the application.
///
/// # Errors
///
/// Returns an error if the authenticator rejects the request, or is unavailable.
pub(crate) async fn authenticate(options: &Options, head: &Parts) -> Result<Option<Principal>, ApiError> {
    identify(options.authenticator.as_deref(), head).await.map_err(|error| match error {
        AuthenticationError::Refused { challenge } => ApiError::Unauthorized { challenge },
        _ => ApiError::AuthenticationUnavailable,
    })
}

/// Returns the caller of a request that need not be authenticated; `None` for missing or invalid credentials.
pub(crate) async fn authenticate_optional(options: &Options, head: &Parts) -> Option<Principal> {
    let has_principal = head.extensions.get::<Principal>().is_some_and(is_identified);
    let has_authorization =
        options.authenticator.is_some() && head.headers.contains_key(header::AUTHORIZATION);
    // Invalid credentials do not prevent access to what is public.
    if has_principal || has_authorization { authenticate(options, head).await.ok().flatten() } else { None }
}

/// Returns the caller of a request that must be authenticated.
///
/// # Errors
///
/// Returns the errors of [`authenticate`], and an error if there is no caller.
pub(crate) async fn require(options: &Options, head: &Parts) -> Result<Principal, ApiError> {
    let sender = authenticate(options, head).await?;
    // An authenticator may accept anonymous callers.
    let sender = sender.filter(|sender| options.authenticator.is_some() || is_identified(sender));
    sender.ok_or_else(ApiError::unauthorized)
}

fn is_identified(principal: &Principal) -> bool {
    principal.id().is_some()
}
