//! The response to a `GET`, and its validation by clients.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use http_body_util::Full;
use serde::Serialize;

use crate::error::ApiError;

/// A document with a weak validator, which is the same for every content coding.
#[derive(Clone, Debug)]
pub(crate) struct Representation {
    media_type: HeaderValue,
    body: Bytes,
    etag: HeaderValue,
}

impl Representation {
    /// Serializes a value.
    ///
    /// # Errors
    ///
    /// Returns an error if the value cannot be serialized as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_vec(value).map_err(|error| {
            tracing::error!(%error, "an answer cannot be written as JSON");
            ApiError::Internal
        })?;
        Self::new(HeaderValue::from_static("application/json"), body.into())
    }

    /// Creates a representation of serialized content.
    ///
    /// # Errors
    ///
    /// Returns an error if the validator is not a valid header value, which cannot happen with hex digits.
    pub(crate) fn new(media_type: HeaderValue, body: Bytes) -> Result<Self, ApiError> {
        let hash = blake3::hash(&body).to_hex();
        let etag =
            HeaderValue::from_str(&format!("W/\"{}\"", &hash[..32])).map_err(|_| ApiError::Internal)?;
        Ok(Representation { media_type, body, etag })
    }

    /// Replaces the entity tag, which is that of the body otherwise.
    #[cfg(feature = "tasks")]
    pub(crate) fn with_etag(mut self, etag: HeaderValue) -> Self {
        self.etag = etag;
        self
    }

    #[cfg(test)]
    pub(crate) fn media_type(&self) -> &str {
        self.media_type.to_str().unwrap()
    }

    #[cfg(test)]
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the response to another method than `GET`, which has no validator.
    pub(crate) fn into_response(self) -> Response {
        let mut response = Response::new(Body::new(Full::new(self.body)));
        response.headers_mut().insert(header::CONTENT_TYPE, self.media_type);
        response
    }

    /// Returns the response to a `GET`: 304 if the client has this version.
    pub(crate) fn to_response(&self, headers: &HeaderMap) -> Response {
        let not_modified = matches(headers, self.etag.as_bytes());
        let body = if not_modified { Body::new(NoContent) } else { Body::new(Full::new(self.body.clone())) };
        let mut response = Response::new(body);
        let response_headers = response.headers_mut();
        response_headers.insert(header::ETAG, self.etag.clone());
        response_headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if not_modified {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            response_headers.insert(header::CONTENT_TYPE, self.media_type.clone());
        }
        response
    }
}

/// Returns `true` if `If-None-Match` contains this validator, by weak comparison (RFC 9110, section 13.1.2). An invalid
/// header is ignored.
pub(crate) fn matches(headers: &HeaderMap, etag: &[u8]) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH);
    let opaque = etag.strip_prefix(b"W/").unwrap_or(etag);
    let mut lines = values.iter();
    if let (Some(value), None) = (lines.next(), lines.next())
        && value.as_bytes().trim_ascii() == b"*"
    {
        return true;
    }
    let tags: Option<Vec<Vec<&[u8]>>> = values.iter().map(|value| tags(value.as_bytes())).collect();
    tags.is_some_and(|lines| lines.iter().flatten().any(|tag| *tag == opaque))
}

/// Returns the opaque tags of a list with their quotes; `None` if the list is invalid.
fn tags(mut text: &[u8]) -> Option<Vec<&[u8]>> {
    let mut tags = Vec::new();
    loop {
        text = text.trim_ascii_start();
        // A list can have empty elements (RFC 9110, section 5.6.1.2).
        if let Some(rest) = text.strip_prefix(b",") {
            text = rest;
            continue;
        }
        if text.is_empty() {
            return Some(tags);
        }
        let tag = text.strip_prefix(b"W/").unwrap_or(text);
        let rest = tag.strip_prefix(b"\"")?;
        let length = rest.iter().position(|byte| *byte == b'"')?;
        let is_tag_character = |byte: &u8| *byte == 0x21 || (0x23..=0x7e).contains(byte) || *byte >= 0x80;
        if !rest[..length].iter().all(is_tag_character) {
            return None;
        }
        tags.push(&tag[..length + 2]);
        text = rest[length + 1..].trim_ascii_start();
        if !text.is_empty() && !text.starts_with(b",") {
            return None;
        }
    }
}

/// The body of a 304. It has no length, which would count as that of the representation (RFC 9110, section 8.6).
pub(crate) struct NoContent;

impl HttpBody for NoContent {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use super::tags;

    #[test]
    fn parses_lists_of_entity_tags() {
        for (text, expected) in [
            ("", Some(&[][..])),
            ("\"a\"", Some(&["\"a\""])),
            ("W/\"a\" , \"b\"", Some(&["\"a\"", "\"b\""])),
            (",, \"a\",", Some(&["\"a\""])),
            ("\"\"", Some(&["\"\""])),
            // A tag can contain a comma.
            ("\"a,b\"", Some(&["\"a,b\""])),
            ("a", None),
            ("w/\"a\"", None),
            ("W/ \"a\"", None),
            ("\"a", None),
            ("\"a\" \"b\"", None),
            ("\"a\"b", None),
            ("\"a b\"", None),
            ("*", None),
            ("*, \"a\"", None),
        ] {
            let found = tags(text.as_bytes());
            let expected = expected.map(|tags| tags.iter().map(|tag| tag.as_bytes()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{text}");
        }
    }
}
