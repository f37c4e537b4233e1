//! Who sends a request.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::http::header;
use axum::http::request::Parts;
use tool_core::{AuthenticationError, Authenticator, Principal};

use crate::options::Options;
use crate::refusal::Refusal;

/// Who sends a request, as the application has found out, or else the authenticator; `None` where neither is there.
///
/// An application that has found nobody may have said so with an anonymous principal: the authenticator is asked then.
///
/// # Errors
///
/// When the authenticator refuses the request, cannot decide, or panics.
pub(crate) async fn of(options: &Options, head: &Parts) -> Result<Option<Principal>, Refusal> {
    let said = head.extensions.get::<Principal>();
    let Some(authenticator) = &options.authenticator else { return Ok(said.cloned()) };
    if let Some(principal) = said.filter(|principal| is_named(principal)) {
        return Ok(Some(principal.clone()));
    }
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
