//! The media types that a client sends and accepts.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::http::rejection::Rejection;

const JSON: (&str, &str) = ("application/json", "application/*");
/// What most clients send.
const USUAL: &str = "application/json, text/event-stream";
const EVENTS: (&str, &str) = ("text/event-stream", "text/*");

/// Checks that the client accepts both kinds of responses.
pub(super) fn check_accepted(headers: &HeaderMap) -> Result<(), Rejection> {
    let is_usual = headers.get(header::ACCEPT).is_some_and(|value| value == USUAL);
    if is_usual || accepts(headers, JSON) && accepts(headers, EVENTS) {
        return Ok(());
    }
    let message = "Client must accept both application/json and text/event-stream";
    Err(Rejection::new(StatusCode::NOT_ACCEPTABLE, message))
}

/// Checks that the client accepts a stream of events.
pub(super) fn check_events_accepted(headers: &HeaderMap) -> Result<(), Rejection> {
    if accepts(headers, EVENTS) {
        return Ok(());
    }
    Err(Rejection::new(StatusCode::NOT_ACCEPTABLE, "Client must accept text/event-stream"))
}

/// Returns whether `Accept` covers a type. The most specific entry decides (RFC 9110, section 12.5.1).
fn accepts(headers: &HeaderMap, (name, range): (&str, &str)) -> bool {
    let accepted = is_accepted(headers, name).or_else(|| is_accepted(headers, range));
    accepted.or_else(|| is_accepted(headers, "*/*")) == Some(true)
}

/// Returns whether the entry of `Accept` with this range has a weight above zero; `None` without such an entry.
fn is_accepted(headers: &HeaderMap, range: &str) -> Option<bool> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut entries = values.flat_map(|value| value.split(','));
    entries.find_map(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let is_it = parts.next()?.eq_ignore_ascii_case(range);
        let weight =
            |part: &str| part.strip_prefix(['q', 'Q'])?.trim_start().strip_prefix('=')?.trim().parse().ok();
        is_it.then(|| parts.find_map(weight) != Some(0.0_f32))
    })
}

/// Checks that a JSON body is neither compressed nor in another encoding than UTF-8.
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), Rejection> {
    let refused = |message: &str| Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    let is_coded = |coding: &HeaderValue| !coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(is_coded) {
        return refused("a compressed body is not read: send it without `Content-Encoding`");
    }
    let content_type = content_type(headers);
    if content_type == JSON.0 {
        return Ok(());
    }
    let mut parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let is_other = |(name, value): (&str, &str)| {
        let charset = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset") && !charset.eq_ignore_ascii_case("utf-8")
    };
    if parameters.any(is_other) {
        return refused("JSON is sent in UTF-8: leave `charset` out of `Content-Type`");
    }
    Ok(())
}

/// Returns whether the body is JSON by its `Content-Type`.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let content_type = content_type(headers);
    let essence = content_type.split(';').next().unwrap_or_default();
    content_type == JSON.0 || essence.trim().eq_ignore_ascii_case(JSON.0)
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &header::HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn matches_media_ranges() {
        for (accept, json, events) in [
            (&["*/*"][..], true, true),
            (&["application/*, text/*"], true, true),
            (&["text/html", "APPLICATION/* ; q=0.1, text/plain"], true, false),
            (&["text/event-stream, */*;q=0.5"], true, true),
            (&["text/*;q=0, */*"], true, false),
            (&["application/json;q=0, text/event-stream; Q = 0.0, */*"], false, false),
            (&["*/*;q=0.000"], false, false),
            (&["text/html, application/xhtml+xml"], false, false),
            (&["application/json, text/event-stream"], true, true),
            (&[], false, false),
        ] {
            let headers = headers(&header::ACCEPT, accept);
            assert_eq!((accepts(&headers, JSON), accepts(&headers, EVENTS)), (json, events), "{accept:?}");
        }
    }

    #[test]
    fn accepts_only_uncompressed_utf_8() {
        for (name, value, is_accepted) in [
            (header::CONTENT_TYPE, "application/json", true),
            (header::CONTENT_TYPE, "application/json; charset=UTF-8", true),
            (header::CONTENT_TYPE, "application/json;profile=a; charset=\"utf-8\"", true),
            (header::CONTENT_TYPE, "application/json; charset=utf-16", false),
            (header::CONTENT_TYPE, "application/json; Charset = latin1", false),
            (header::CONTENT_ENCODING, "identity", true),
            (header::CONTENT_ENCODING, "gzip", false),
            (header::CONTENT_ENCODING, "identity, br", false),
        ] {
            assert_eq!(check_encoding(&headers(&name, &[value])).is_ok(), is_accepted, "{value}");
        }
    }
}
