//! What a call or a check came to, as a response.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use tool_core::{CallId, Content, Failure, FailureKind, Problem, Repair, Reply, Validation};

use crate::refusal::Message;

/// A response with a JSON body.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(text) => (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], text)
            .into_response(),
        Err(error) => {
            tracing::error!(%error, "an answer cannot be written as JSON");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// The answer to a call.
///
/// A failure of the tool itself has the shape of a success with `isError`; one on the way to the tool is an error.
pub(crate) fn called(reply: &Reply) -> Response {
    let meta = Meta { call_id: reply.call_id };
    match &reply.result {
        Ok(output) => {
            let structured_content = output.structured();
            let result = CallResult { content: output.content(), structured_content, is_error: false, meta };
            json(StatusCode::OK, &result)
        }
        Err(failure) if matches!(failure.kind(), FailureKind::Failed(_)) => {
            let content = Cow::Owned(vec![Content::text(failure.text())]);
            let result = CallResult { content, structured_content: None, is_error: true, meta };
            json(status(failure), &result)
        }
        Err(failure) => failed(failure, reply.call_id),
    }
}

/// The answer to a check of arguments.
pub(crate) fn validated(result: Result<Validation, Failure>) -> Response {
    let failure = match result {
        Ok(Validation { repairs, .. }) => {
            return json(StatusCode::OK, &Verdict { valid: true, errors: None, repairs: &repairs });
        }
        Err(failure) => failure,
    };
    let verdict = Verdict { valid: false, errors: Some(failure.problems()), repairs: &[] };
    let invalid = |status| json(status, &verdict);
    match failure.kind() {
        FailureKind::Input => invalid(StatusCode::OK),
        FailureKind::NotJson => invalid(status(&failure)),
        _ => {
            let call_id = CallId::new();
            if failure.kind() == FailureKind::Internal {
                tracing::error!(%call_id, "the arguments could not be checked");
            }
            failed(&failure, call_id)
        }
    }
}

/// An error that the pipeline found.
fn failed(failure: &Failure, call_id: CallId) -> Response {
    let status = status(failure);
    let mut response = match failure.kind() {
        FailureKind::NotFound | FailureKind::Disabled | FailureKind::Unauthenticated => {
            json(status, &Message { error: failure.message() })
        }
        FailureKind::Internal => json(status, &Fault { failure, meta: Meta { call_id } }),
        _ => json(status, failure),
    };
    if let Some(wait) = failure.retry_after() {
        // In whole seconds (RFC 9110, section 10.2.3), and not too early.
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    } else if failure.kind() == FailureKind::Busy {
        // How long the calls before this one take is not known: ask again soon.
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn status(failure: &Failure) -> StatusCode {
    StatusCode::from_u16(failure.kind().codes().http).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'r> {
    content: Cow<'r, [Content]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'r RawValue>,
    is_error: bool,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Serialize)]
struct Meta {
    #[serde(rename = "callId", serialize_with = "as_text")]
    call_id: CallId,
}

fn as_text<S: Serializer>(call_id: &CallId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(call_id)
}

/// A fault of the application: nothing of its cause, but what finds it in the log.
#[derive(Serialize)]
struct Fault<'f> {
    #[serde(flatten)]
    failure: &'f Failure,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(Serialize)]
struct Verdict<'f> {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'f [Problem]>,
    #[serde(skip_serializing_if = "<[Repair]>::is_empty")]
    repairs: &'f [Repair],
}
