//! The `Range` of a request.

use std::ops::Range;

use axum::http::{HeaderMap, Method, header};
use tool_core::results::Span;

/// How much of a content is wanted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of it: nothing else was said, or nothing that can be understood.
    Whole,
    Part(Range<usize>),
    /// Something that it does not have.
    Nothing,
}

impl Wanted {
    /// Reads `Range`, which means something to a `GET` alone (RFC 9110, section 14.2), and only if `If-Range` is this very
    /// validator or absent. Several ranges are answered with the whole, as a server may.
    pub(super) fn of(method: &Method, asked: &HeaderMap, etag: &[u8], length: usize) -> Self {
        if method != Method::GET || asked.get(header::IF_RANGE).is_some_and(|known| known.as_bytes() != etag)
        {
            return Wanted::Whole;
        }
        let mut lines = asked.get_all(header::RANGE).iter();
        let (Some(line), None) = (lines.next(), lines.next()) else { return Wanted::Whole };
        let Some((unit, ranges)) = line.to_str().ok().and_then(|line| line.split_once('=')) else {
            return Wanted::Whole;
        };
        let range = ranges.trim_matches([' ', '\t']);
        if !unit.eq_ignore_ascii_case("bytes") || !range.contains('-') {
            return Wanted::Whole;
        }
        if range
            .strip_prefix('-')
            .is_some_and(|last| !last.is_empty() && last.bytes().all(|digit| digit == b'0'))
        {
            // The last none.
            return Wanted::Nothing;
        }
        match range.parse::<Span>() {
            Ok(span) => span.of_bytes(length).map_or(Wanted::Nothing, Wanted::Part),
            Err(_) => Wanted::Whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn of(range: &str, if_range: Option<&'static str>) -> Wanted {
        let mut asked = HeaderMap::new();
        asked.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
        asked.extend(if_range.map(|etag| (header::IF_RANGE, HeaderValue::from_static(etag))));
        Wanted::of(&Method::GET, &asked, b"\"a\"", 10)
    }

    #[test]
    fn what_a_range_means() {
        for (range, wanted) in [
            ("bytes=0-0", Wanted::Part(0..1)),
            ("bytes=0-9", Wanted::Part(0..10)),
            ("bytes=5-100", Wanted::Part(5..10)),
            ("BYTES= 5- ", Wanted::Part(5..10)),
            ("bytes=-3", Wanted::Part(7..10)),
            ("bytes=-30", Wanted::Part(0..10)),
            ("bytes=10-", Wanted::Nothing),
            ("bytes=10-20", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=18446744073709551615-", Wanted::Nothing),
            ("bytes=0-0,2-3", Wanted::Whole),
            ("bytes=5-4", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=5", Wanted::Whole),
            ("bytes=a-b", Wanted::Whole),
            ("bytes=", Wanted::Whole),
            ("lines=1-2", Wanted::Whole),
            ("bytes", Wanted::Whole),
        ] {
            assert_eq!(of(range, None), wanted, "{range}");
        }
        assert_eq!(of("bytes=0-0", Some("\"a\"")), Wanted::Part(0..1));
        for other in ["\"b\"", "W/\"a\"", "Sun, 22 Nov 2026 08:00:00 GMT"] {
            assert_eq!(of("bytes=0-0", Some(other)), Wanted::Whole, "{other}");
        }
        let mut twice = HeaderMap::new();
        twice.append(header::RANGE, HeaderValue::from_static("bytes=0-0"));
        twice.append(header::RANGE, HeaderValue::from_static("bytes=1-1"));
        assert_eq!(Wanted::of(&Method::GET, &twice, b"", 10), Wanted::Whole);
        let mut once = HeaderMap::new();
        once.append(header::RANGE, HeaderValue::from_static("bytes=0-0"));
        assert_eq!(Wanted::of(&Method::HEAD, &once, b"", 10), Wanted::Whole);
    }
}
