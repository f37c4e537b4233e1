//! The header `Range`.

use std::ops::Range;

use axum::http::{HeaderMap, HeaderValue, Method, header};
use tool_http::fuzzing::range as parse;

const ETAG: &str = "\"a\"";

/// Reads a value of `Range` for a content whose length is the first byte. The second byte chooses `If-Range`: none, that of the
/// content, or another; and whether the header is given twice.
///
/// - A single range of bytes is the one that RFC 9110 says, cut to the content.
/// - Everything else is the whole, and so is what `If-Range` does not allow.
pub fn range(input: &[u8]) {
    let [length, choice, value @ ..] = input else { return };
    let Ok(header_value) = HeaderValue::from_bytes(value) else { return };
    let mut headers = HeaderMap::new();
    headers.append(header::RANGE, header_value.clone());
    let is_twice = choice & 4 != 0;
    if is_twice {
        headers.append(header::RANGE, header_value);
    }
    let if_range = [None, Some(ETAG), Some("\"b\""), Some("W/\"a\"")][usize::from(choice & 3)];
    headers.extend(if_range.map(|etag| (header::IF_RANGE, HeaderValue::from_static(etag))));
    let length = usize::from(*length);
    let read = parse(&Method::GET, &headers, ETAG.as_bytes(), length);
    if let Some(part) = &read {
        assert!(part.start <= part.end && part.end <= length, "{part:?} is not within {length}");
    }
    assert_eq!(parse(&Method::POST, &headers, ETAG.as_bytes(), length), None, "a range for another method");
    let is_ignored = is_twice || if_range.is_some_and(|etag| etag != ETAG);
    let expected = if is_ignored { None } else { expected(value, length) };
    assert_eq!(read, expected, "{:?}", String::from_utf8_lossy(value));
}

/// Returns the only range of a value (RFC 9110, section 14.1.2), cut to a length. A range beyond it is empty, at the end.
fn expected(value: &[u8], length: usize) -> Option<Range<usize>> {
    let value = std::str::from_utf8(value).ok()?;
    let (unit, set) = value.split_once('=')?;
    let (first, last) = set.trim_matches([' ', '\t']).split_once('-')?;
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    if !unit.eq_ignore_ascii_case("bytes") || !digits(first) || !digits(last) {
        return None;
    }
    // No content is longer than the largest number.
    let number = |text: &str| text.parse().unwrap_or(usize::MAX);
    let part = match (first, last) {
        ("", "") => return None,
        ("", last) => length.saturating_sub(number(last))..length,
        (first, "") => number(first)..length,
        (first, last) if is_less(last, first) => return None,
        (first, last) => number(first)..number(last).saturating_add(1).min(length),
    };
    Some(if part.start >= part.end { length..length } else { part })
}

/// Returns `true` if a number of any length is less than another.
fn is_less(one: &str, other: &str) -> bool {
    let width = one.len().max(other.len());
    format!("{one:0>width$}") < format!("{other:0>width$}")
}
