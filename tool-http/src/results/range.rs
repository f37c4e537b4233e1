//! The `Range` of a request.

use std::ops::Range;

use axum::http::{HeaderMap, Method, header};
use tool_core::results::Span;

/// The requested part of a content.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestedRange {
    /// All of it: no range, or one that is ignored.
    Whole,
    Part(Range<usize>),
    /// A range beyond the content.
    Nothing,
}

impl RequestedRange {
    /// Parses `Range`, which applies only to `GET` (RFC 9110, section 14.2), and only if `If-Range` is absent or matches. For
    /// several ranges the whole is sent, as RFC 9110 allows.
    pub(crate) fn parse(method: &Method, headers: &HeaderMap, etag: &[u8], length: usize) -> Self {
        if method != Method::GET
            || headers.get(header::IF_RANGE).is_some_and(|value| value.as_bytes() != etag)
        {
            return RequestedRange::Whole;
        }
        let mut lines = headers.get_all(header::RANGE).iter();
        let (Some(line), None) = (lines.next(), lines.next()) else { return RequestedRange::Whole };
        let Some((unit, ranges)) = line.to_str().ok().and_then(|line| line.split_once('=')) else {
            return RequestedRange::Whole;
        };
        let range = ranges.trim_matches([' ', '\t']);
        if !unit.eq_ignore_ascii_case("bytes") || !range.contains('-') {
            return RequestedRange::Whole;
        }
        if range
            .strip_prefix('-')
            .is_some_and(|last| !last.is_empty() && last.bytes().all(|digit| digit == b'0'))
        {
            // The last zero bytes.
            return RequestedRange::Nothing;
        }
        match bounded(range).parse::<Span>() {
            Ok(span) => span.of_bytes(length).map_or(RequestedRange::Nothing, RequestedRange::Part),
            Err(_) => RequestedRange::Whole,
        }
    }
}

/// Returns a range whose numbers fit: a number of any length must not overflow (RFC 9110, section 14.1.2). A range that ends
/// before it starts stays one, and is invalid.
fn bounded(range: &str) -> String {
    let Some((first, last)) = range.split_once('-') else { return range.to_owned() };
    if let (Some(first), Some(last)) = (order(first), order(last))
        && first > last
    {
        return "1-0".to_owned();
    }
    let largest = u64::MAX.to_string();
    let is_too_large = |part: &str| order(part).is_some() && part.parse::<u64>().is_err();
    let bound = |part| if is_too_large(part) { largest.as_str() } else { part };
    format!("{}-{}", bound(first), bound(last))
}

/// Returns the place of a number among numbers of any length: they compare by their lengths without leading zeros, and then as
/// texts.
fn order(number: &str) -> Option<(usize, &str)> {
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let digits = number.trim_start_matches('0');
    is_number.then_some((digits.len(), digits))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn parse(range: &str, if_range: Option<&'static str>) -> RequestedRange {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
        headers.extend(if_range.map(|etag| (header::IF_RANGE, HeaderValue::from_static(etag))));
        RequestedRange::parse(&Method::GET, &headers, b"\"a\"", 10)
    }

    #[test]
    fn parses_range_headers() {
        for (range, expected) in [
            ("bytes=0-0", RequestedRange::Part(0..1)),
            ("bytes=0-9", RequestedRange::Part(0..10)),
            ("bytes=5-100", RequestedRange::Part(5..10)),
            ("BYTES= 5- ", RequestedRange::Part(5..10)),
            ("bytes=-3", RequestedRange::Part(7..10)),
            ("bytes=-30", RequestedRange::Part(0..10)),
            ("bytes=10-", RequestedRange::Nothing),
            ("bytes=10-20", RequestedRange::Nothing),
            ("bytes=-0", RequestedRange::Nothing),
            ("bytes=18446744073709551615-", RequestedRange::Nothing),
            ("bytes=18446744073709551616-", RequestedRange::Nothing),
            ("bytes=5-18446744073709551616", RequestedRange::Part(5..10)),
            ("bytes=-18446744073709551616", RequestedRange::Part(0..10)),
            ("bytes=0-0,2-3", RequestedRange::Whole),
            ("bytes=5-4", RequestedRange::Whole),
            ("bytes=18446744073709551617-18446744073709551616", RequestedRange::Whole),
            ("bytes=18446744073709551616-18446744073709551617", RequestedRange::Nothing),
            ("bytes=18446744073709551616-4", RequestedRange::Whole),
            ("bytes=5-0000000000000000000000007", RequestedRange::Part(5..8)),
            ("bytes=1-2-3", RequestedRange::Whole),
            ("bytes=-", RequestedRange::Whole),
            ("bytes=5", RequestedRange::Whole),
            ("bytes=a-b", RequestedRange::Whole),
            ("bytes=", RequestedRange::Whole),
            ("lines=1-2", RequestedRange::Whole),
            ("bytes", RequestedRange::Whole),
        ] {
            assert_eq!(parse(range, None), expected, "{range}");
        }
        assert_eq!(parse("bytes=0-0", Some("\"a\"")), RequestedRange::Part(0..1));
        for other in ["\"b\"", "W/\"a\"", "Sun, 22 Nov 2026 08:00:00 GMT"] {
            assert_eq!(parse("bytes=0-0", Some(other)), RequestedRange::Whole, "{other}");
        }
        let mut twice = HeaderMap::new();
        twice.append(header::RANGE, HeaderValue::from_static("bytes=0-0"));
        twice.append(header::RANGE, HeaderValue::from_static("bytes=1-1"));
        assert_eq!(RequestedRange::parse(&Method::GET, &twice, b"", 10), RequestedRange::Whole);
        let mut once = HeaderMap::new();
        once.append(header::RANGE, HeaderValue::from_static("bytes=0-0"));
        assert_eq!(RequestedRange::parse(&Method::HEAD, &once, b"", 10), RequestedRange::Whole);
    }
}
