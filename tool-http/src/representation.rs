//! What a `GET` is answered with, and how a client learns that it has it already.

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

/// A text with the weak validator that stands for it, in whatever content coding it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Representation {
    media_type: HeaderValue,
    body: Bytes,
    etag: HeaderValue,
}

impl Representation {
    /// Writes a value.
    ///
    /// # Errors
    ///
    /// When the value cannot be written as JSON.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_vec(value).map_err(|error| {
            tracing::error!(%error, "an answer cannot be written as JSON");
            ApiError::Internal
        })?;
        Self::new("application/json", body.into())
    }

    /// A text that is written already.
    ///
    /// # Errors
    ///
    /// When its validator could not stand in a header, which hex digits always can.
    pub(crate) fn new(media_type: &'static str, body: Bytes) -> Result<Self, ApiError> {
        let hash = blake3::hash(&body).to_hex();
        let etag =
            HeaderValue::from_str(&format!("W/\"{}\"", &hash[..32])).map_err(|_| ApiError::Internal)?;
        Ok(Representation { media_type: HeaderValue::from_static(media_type), body, etag })
    }

    /// The answer to a `GET`: 304 for a client that has it.
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

/// Whether `If-None-Match` names this validator, by the weak comparison (RFC 9110, section 13.1.2). What is not written as
/// the header must be is as no header.
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

/// The opaque tags of a list, each with its quotes; `None` when it is no list of entity tags.
fn tags(mut text: &[u8]) -> Option<Vec<&[u8]>> {
    let mut tags = Vec::new();
    loop {
        text = text.trim_ascii_start();
        // A list may have empty elements (RFC 9110, section 5.6.1.2).
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

/// The body of a 304, of which no length is told: it would be taken for that of the representation (RFC 9110, section
/// 8.6).
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
            // A comma may stand in a tag.
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
