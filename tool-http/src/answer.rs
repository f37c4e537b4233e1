//! What a call or a check came to, as a response.

use std::borrow::Cow;

use axum::http::{StatusCode, header};
use axum::response::Response;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use tool_core::results::{Preview, PreviewPart};
use tool_core::schema::{Coercion, Validation};
use tool_core::{CallId, Content, Failure, FailureKind, Output, Problem, Reply};

use crate::json::json;
use crate::refusal::Message;
use crate::results;

/// The answer to a call.
///
/// A failure of the tool itself has the shape of a success with `isError`; one on the way to the tool is an error.
pub(crate) fn called(reply: &Reply) -> Response {
    let meta = Meta { call_id: reply.call_id };
    if let Some(preview) = &reply.preview {
        return preview_response(preview, &reply.result, meta);
    }
    match &reply.result {
        Ok(output) => {
            let structured_content = output.structured();
            let result = CallResult { content: output.content(), structured_content, is_error: false, meta };
            json(StatusCode::OK, &result)
        }
        Err(failure) if matches!(failure.kind(), FailureKind::Failed(_)) => {
            let content = Cow::Owned(vec![Content::text(failure.text())]);
            let result = CallResult { content, structured_content: None, is_error: true, meta };
            refusal(failure, &result)
        }
        Err(failure) => failed(failure, reply.call_id),
    }
}

/// What is sent of a result that is too large, and where the rest is. What failed has failed all the same.
fn preview_response(preview: &Preview, result: &Result<Output, Failure>, meta: Meta) -> Response {
    let mut content = Vec::new();
    for part in preview.parts() {
        match part {
            PreviewPart::Content(part) => content.push(part.clone()),
            PreviewPart::Excerpt(excerpt) => {
                content.push(Content::text(results::text(excerpt)));
                content.extend(results::link(excerpt));
            }
            _ => {}
        }
    }
    let excerpt = preview.excerpts().next();
    match result {
        Ok(output) => {
            let excerpt = excerpt.filter(|_| output.structured_text().is_some());
            let excerpt = excerpt.and_then(|excerpt| to_raw_value(&results::located(excerpt)).ok());
            let (content, structured_content) = (content.into(), excerpt.as_deref());
            json(StatusCode::OK, &CallResult { content, structured_content, is_error: false, meta })
        }
        Err(failure) if matches!(failure.kind(), FailureKind::Failed(_)) => {
            let content = content.into();
            refusal(failure, &CallResult { content, structured_content: None, is_error: true, meta })
        }
        Err(failure) => {
            let short = failure.clone().with_message(excerpt.map(results::text).unwrap_or_default());
            refusal(failure, &Fault { failure: &short, meta })
        }
    }
}

/// The answer to a check of arguments.
pub(crate) fn validated(result: Result<Validation, Failure>) -> Response {
    let failure = match result {
        Ok(Validation { coercions: repairs, .. }) => {
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
pub(crate) fn failed(failure: &Failure, call_id: CallId) -> Response {
    match failure.kind() {
        FailureKind::NotFound | FailureKind::Disabled | FailureKind::Unauthenticated => {
            refusal(failure, &Message { error: failure.message() })
        }
        FailureKind::Internal => refusal(failure, &Fault { failure, meta: Meta { call_id } }),
        _ => refusal(failure, failure),
    }
}

/// A body with the status of this failure, and when to try again.
fn refusal(failure: &Failure, body: &impl Serialize) -> Response {
    let mut response = json(status(failure), body);
    if let Some(wait) = failure.retry_after() {
        // In seconds (RFC 9110, section 10.2.3).
        response.headers_mut().insert(header::RETRY_AFTER, wait.as_secs().into());
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
    #[serde(skip_serializing_if = "<[Coercion]>::is_empty")]
    repairs: &'f [Coercion],
}
