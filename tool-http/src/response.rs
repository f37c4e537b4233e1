//! Responses to calls and validations.

use std::borrow::Cow;

use axum::http::{StatusCode, header};
use axum::response::Response;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tool_core::results::{Preview, PreviewPart};
use tool_core::schema::{Coercion, Validation};
use tool_core::{CallId, Content, Failure, FailureKind, Output, Problem, Reply};

use crate::bare_output;
use crate::error::{ApiError, ErrorBody, forbid_storing};
use crate::json::json;
use crate::results;

/// Returns the response to a call.
///
/// A failure of the tool itself has the form of a result with `isError`; any other failure is an error.
pub(crate) fn call_response(reply: &Reply) -> Response {
    let of_tool = reply.result.as_ref().ok().and_then(Output::meta);
    let meta = Meta { call_id: reply.call_id, of_tool };
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
            response_for(failure, &result)
        }
        Err(failure) => failure_response(failure, reply.call_id),
    }
}

/// Returns the response to a call without the envelope.
///
/// # Errors
///
/// Returns an error if the output cannot be serialized.
pub(crate) fn bare_response(reply: &Reply) -> Result<Response, ApiError> {
    let mut response = match &reply.result {
        Ok(output) => bare_output::representation(output)?.into_response(),
        // The tool's own failures look like any other.
        Err(failure) => failure_response(failure, reply.call_id),
    };
    bare_output::mark(&mut response, reply.call_id);
    Ok(response)
}

/// Returns the preview of a result that is too large, with a link to the rest.
fn preview_response(preview: &Preview, result: &Result<Output, Failure>, meta: Meta<'_>) -> Response {
    let mut content = Vec::new();
    for part in preview.parts() {
        match part {
            PreviewPart::Content(part) => content.push(part.clone()),
            PreviewPart::Excerpt(excerpt) => {
                content.push(Content::text(results::excerpt_text(excerpt)));
                content.extend(results::excerpt_link(excerpt));
            }
            _ => {}
        }
    }
    let excerpt = preview.excerpts().next();
    match result {
        Ok(output) => {
            let excerpt = excerpt.filter(|_| output.structured_text().is_some());
            let excerpt = excerpt.and_then(|excerpt| to_raw_value(&results::excerpt_json(excerpt)).ok());
            let (content, structured_content) = (content.into(), excerpt.as_deref());
            json(StatusCode::OK, &CallResult { content, structured_content, is_error: false, meta })
        }
        Err(failure) if matches!(failure.kind(), FailureKind::Failed(_)) => {
            let content = content.into();
            response_for(failure, &CallResult { content, structured_content: None, is_error: true, meta })
        }
        Err(failure) => {
            let shortened =
                failure.clone().with_message(excerpt.map(results::excerpt_text).unwrap_or_default());
            response_for(failure, &FaultBody { failure: &shortened, meta })
        }
    }
}

/// Returns the response to a validation.
pub(crate) fn validation_response(result: Result<Validation, Failure>) -> Response {
    let failure = match result {
        Ok(Validation { coercions: repairs, .. }) => {
            return json(StatusCode::OK, &ValidationBody { valid: true, errors: None, repairs: &repairs });
        }
        Err(failure) => failure,
    };
    let body = ValidationBody { valid: false, errors: Some(failure.problems()), repairs: &[] };
    let invalid = |status| json(status, &body);
    match failure.kind() {
        FailureKind::Input => invalid(StatusCode::OK),
        FailureKind::NotJson => invalid(status(&failure)),
        _ => {
            let call_id = CallId::new();
            if failure.kind() == FailureKind::Internal {
                tracing::error!(gen_ai.tool.call.id = %call_id, "the arguments could not be checked");
            }
            failure_response(&failure, call_id)
        }
    }
}

/// Returns the response to a failure outside of the tool.
pub(crate) fn failure_response(failure: &Failure, call_id: CallId) -> Response {
    match failure.kind() {
        FailureKind::NotFound | FailureKind::Disabled | FailureKind::Unauthenticated => {
            response_for(failure, &ErrorBody { error: failure.message() })
        }
        FailureKind::Internal => response_for(failure, &FaultBody { failure, meta: Meta::new(call_id) }),
        _ => response_for(failure, failure),
    }
}

/// Returns a body with the status and the `Retry-After` of a failure, which no cache stores.
fn response_for(failure: &Failure, body: &impl Serialize) -> Response {
    let mut response = json(status(failure), body);
    forbid_storing(response.headers_mut());
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
    meta: Meta<'r>,
}

#[derive(Serialize)]
struct Meta<'r> {
    #[serde(rename = "callId", serialize_with = "serialize_display")]
    call_id: CallId,
    /// What the tool added.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    of_tool: Option<&'r Map<String, Value>>,
}

impl Meta<'_> {
    fn new(call_id: CallId) -> Self {
        Meta { call_id, of_tool: None }
    }
}

fn serialize_display<S: Serializer>(call_id: &CallId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(call_id)
}

/// The body of an internal error: the call id, without the cause.
#[derive(Serialize)]
struct FaultBody<'f> {
    #[serde(flatten)]
    failure: &'f Failure,
    #[serde(rename = "_meta")]
    meta: Meta<'f>,
}

#[derive(Serialize)]
struct ValidationBody<'f> {
    valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<&'f [Problem]>,
    #[serde(skip_serializing_if = "<[Coercion]>::is_empty")]
    repairs: &'f [Coercion],
}
