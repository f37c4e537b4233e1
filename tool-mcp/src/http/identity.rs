//! Finding out who sends a request, before anything is told.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use rmcp::model::ProtocolVersion;
use tool_core::authentication::{AuthenticationError, Authenticator};
use tool_core::{Extensions, Principal};

use crate::caller::Caller;
use crate::envelope;
use crate::http::holding::Holding;
use crate::http::message::{is_stream, refusal};
use crate::http::sessions::{NotTheirs, SESSION, Sessions, Visit};
use crate::session::Acquaintance;

/// What is asked about a request before it is read.
pub(super) struct Door {
    pub(super) authenticator: Option<Arc<dyn Authenticator>>,
    pub(super) sessions: Arc<Sessions>,
}

/// Lets a request in whose sender may be there, and into no session but its own.
pub(super) async fn identify(
    door: &Door,
    request: Request,
    next: impl AsyncFnOnce(Request, Option<&Visit>) -> Response,
) -> Response {
    let (mut head, body) = request.into_parts();
    if is_modern(&head) {
        // Requests that stand alone are of no session, whatever a client says that has spoken another version before.
        head.headers.remove(SESSION);
    }
    let caller = match caller(door.authenticator.as_deref(), &head).await {
        Ok(caller) => caller,
        Err(error) => return refused(error),
    };
    let mut visit = None;
    if let Some(session) = head.headers.get(SESSION).and_then(|id| id.to_str().ok()) {
        door.sessions.close_idle().await;
        visit = match door.sessions.visit(session, &caller.principal) {
            Ok(visit) => visit,
            Err(NotTheirs) => {
                let message = "there is no such session: open one with `initialize`";
                return refusal(StatusCode::NOT_FOUND, envelope::invalid_request(message));
            }
        };
    }
    let principal = caller.principal.clone();
    // All that the application has put there, for its tools.
    let beside = Extensions::from(std::mem::take(&mut head.extensions));
    head.extensions.insert(beside);
    head.extensions.insert(caller);
    let mut response = next(Request::from_parts(head, body), visit.as_ref()).await;
    // Until its stream has ended, the session is not idle.
    if let Some(visit) = visit.filter(|_| is_stream(&response)) {
        response = response.map(|body| Holding::body(body, visit));
    }
    if let Some(session) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
        let client = response.extensions().get::<Acquaintance>().cloned().unwrap_or_default();
        door.sessions.opened(session, &principal, client).await;
    }
    response
}

/// Whether a request is of 2026-07-28 or later, by the version in its head. Versions are dates, and so compare as texts.
fn is_modern(head: &Parts) -> bool {
    let version = head.headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Who sends a request; an anonymous caller where neither the application nor an authenticator says.
async fn caller(
    authenticator: Option<&dyn Authenticator>,
    head: &Parts,
) -> Result<Caller, AuthenticationError> {
    let principal = tool_core::authentication::identify(authenticator, head).await?;
    let told_apart = principal.is_some();
    Ok(Caller { principal: principal.unwrap_or_else(Principal::anonymous), told_apart })
}

/// 401, or 503 where nobody can say who it is.
fn refused(error: AuthenticationError) -> Response {
    let message = error.to_string();
    if let AuthenticationError::Refused { challenge } = error {
        let mut response = refusal(StatusCode::UNAUTHORIZED, envelope::invalid_request(&message));
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        return response;
    }
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, envelope::invalid_request(&message));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
