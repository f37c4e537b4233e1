//! Who sends a request, found out before anything else.

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use tool_core::authentication::{AuthenticationError, Authenticator};
use tool_core::{Extensions, Principal};

use crate::caller::Caller;
use crate::http::rejection::Rejection;

/// Finds out who sends a request, and puts it into the extensions of its head beside those of the application. The caller is
/// anonymous if neither the application nor an authenticator knows it.
pub(super) async fn identify(
    authenticator: Option<&dyn Authenticator>,
    head: &mut Parts,
) -> Result<Caller, Rejection> {
    let principal = tool_core::authentication::identify(authenticator, head).await.map_err(refused)?;
    let is_distinguished = principal.is_some();
    let caller = Caller { principal: principal.unwrap_or_else(Principal::anonymous), is_distinguished };
    let extensions = Extensions::from(std::mem::take(&mut head.extensions));
    head.extensions.insert(extensions);
    head.extensions.insert(caller.clone());
    Ok(caller)
}

/// 401, or 503 if nobody can say who it is.
fn refused(error: AuthenticationError) -> Rejection {
    let message = error.to_string();
    if let AuthenticationError::Refused { challenge } = error {
        let rejection = Rejection::new(StatusCode::UNAUTHORIZED, message);
        return rejection.with_header(header::WWW_AUTHENTICATE, challenge);
    }
    let rejection = Rejection::new(StatusCode::SERVICE_UNAVAILABLE, message);
    rejection.with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}
