//! Reads the body of a request.

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, HeaderValue, header};
use bytes::Bytes;
use mime::Mime;
use tool_serve::{BodyError, read_body};

use crate::error::ApiError;
use crate::options::Options;

/// Reads the bytes of the arguments, without parsing them.
///
/// # Errors
///
/// Returns an error if the body is not announced as JSON in UTF-8, is too large or too slow, or if other bodies have the memory
/// for it.
pub(crate) async fn read(headers: &HeaderMap, body: Body, options: &Options) -> Result<Bytes, ApiError> {
    check_content_encoding(headers)?;
    let content_type = media_type(headers)?;
    let size = body.size_hint();
    if content_type == ContentType::Missing && size.lower() > 0 {
        return Err(missing_media_type());
    }
    let limit = options.body_limit;
    // Checked before reading: a client that waits for `100 Continue` then never sends the body.
    if size.lower() > limit as u64 {
        return Err(ApiError::BodyTooLarge { limit });
    }
    let body = read_body(body, limit, options.body_timeout).await.map_err(|error| match error {
        BodyError::TooLarge => ApiError::BodyTooLarge { limit },
        BodyError::Timeout => ApiError::BodyTimeout,
        BodyError::Incomplete => ApiError::BodyIncomplete,
        BodyError::NoMemory => ApiError::TooManyBodies,
    })?;
    // The length of a chunked body is only known at its end.
    if content_type == ContentType::Missing && !body.is_empty() {
        return Err(missing_media_type());
    }
    Ok(body)
}

#[derive(Clone, Copy, PartialEq)]
enum ContentType {
    Json,
    Missing,
}

/// Returns the content type: JSON in UTF-8, or none, which only an empty body may have.
fn media_type(headers: &HeaderMap) -> Result<ContentType, ApiError> {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else { return Ok(ContentType::Missing) };
    let unsupported = || ApiError::MediaType { got: format!(", not as `{}`", truncated(value.as_bytes())) };
    if values.next().is_some() {
        return Err(ApiError::MediaType { got: ", named once".to_owned() });
    }
    let media: Mime = value.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(unsupported)?;
    if media.essence_str() != mime::APPLICATION_JSON.essence_str() {
        return Err(unsupported());
    }
    match media.params().find(|(name, value)| *name == mime::CHARSET && *value != mime::UTF_8) {
        Some((_, charset)) => Err(ApiError::Charset(truncated(charset.as_str().as_bytes()))),
        None => Ok(ContentType::Json),
    }
}

fn missing_media_type() -> ApiError {
    ApiError::MediaType { got: ": `Content-Type` is missing".to_owned() }
}

/// Rejects compressed bodies, because a small one could expand to a large one.
fn check_content_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_coded = |value: &&HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    match headers.get_all(header::CONTENT_ENCODING).iter().find(is_coded) {
        Some(coding) => Err(ApiError::ContentCoding(truncated(coding.as_bytes()))),
        None => Ok(()),
    }
}

/// Returns the shortened value of a header, for an error.
fn truncated(value: &[u8]) -> String {
    String::from_utf8_lossy(value).chars().take(80).collect()
}
