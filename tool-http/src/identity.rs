//! Who sends a request.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::http::request::Parts;
use tool_core::{AuthenticationError, Authenticator, Principal};

use crate::options::Options;
use crate::refusal::Refusal;

/// Who sends a request, as the application has found out, or else the authenticator; `None` where neither is there.
///
/// # Errors
///
/// When the authenticator refuses the request, cannot decide, or panics.
pub(crate) async fn of(options: &Options, head: &Parts) -> Result<Option<Principal>, Refusal> {
    if let Some(principal) = head.extensions.get::<Principal>() {
        return Ok(Some(principal.clone()));
    }
    let Some(authenticator) = &options.authenticator else { return Ok(None) };
    match ask(&**authenticator, head).await {
        Some(Ok(principal)) => Ok(Some(principal)),
        Some(Err(AuthenticationError::Refused { challenge })) => Err(Refusal::Unauthorized { challenge }),
        Some(Err(error)) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(cause, "{error}");
            Err(Refusal::IdentityUnknown)
        }
        None => {
            tracing::error!("the authenticator panicked");
            Err(Refusal::IdentityUnknown)
        }
    }
}

/// Asks code of the application; `None` when it panics, which lets nobody in and harms no other request.
async fn ask(
    authenticator: &dyn Authenticator,
    head: &Parts,
) -> Option<Result<Principal, AuthenticationError>> {
    let mut answer = catch_unwind(AssertUnwindSafe(|| authenticator.authenticate(head))).ok()?;
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}
