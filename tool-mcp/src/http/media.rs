//! Which media types a client sends and accepts, by its headers.

use axum::http::{HeaderMap, HeaderValue, header};

/// Names in `Accept` what only a range such as `*/*` covers (RFC 9110, section 12.5.1): rmcp looks for the names alone.
pub(super) fn name_accepted(headers: &mut HeaderMap) {
    for (name, range) in [("application/json", "application/*"), ("text/event-stream", "text/*")] {
        let is_covered = || is_accepted(headers, range).or_else(|| is_accepted(headers, "*/*"));
        // The most specific entry counts, also where it says no.
        if is_accepted(headers, name).is_none() && is_covered() == Some(true) {
            headers.append(header::ACCEPT, HeaderValue::from_static(name));
        }
    }
}

/// Whether the entry of `Accept` with this range has a weight above zero; `None` without such an entry.
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

/// Returns why a body that is announced as JSON is not read: it is compressed, or not in UTF-8.
pub(super) fn unsupported(headers: &HeaderMap) -> Option<&'static str> {
    let is_coded = |coding: &HeaderValue| !coding.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(is_coded) {
        return Some("a compressed body is not read: send it without `Content-Encoding`");
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut parameters = kind.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let is_other = |(name, value): (&str, &str)| {
        let charset = value.trim().trim_matches('"');
        name.trim().eq_ignore_ascii_case("charset") && !charset.eq_ignore_ascii_case("utf-8")
    };
    parameters.any(is_other).then_some("JSON is sent in UTF-8: leave `charset` out of `Content-Type`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &header::HeaderName, values: &[&'static str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn ranges_name_what_they_cover() {
        let (json, events) = ("application/json", "text/event-stream");
        for (accept, named) in [
            (&["*/*"][..], &[json, events][..]),
            (&["application/*, text/*"], &[json, events]),
            (&["text/html", "APPLICATION/* ; q=0.1, text/plain"], &[json]),
            (&["text/event-stream, */*;q=0.5"], &[json]),
            (&["text/*;q=0, */*"], &[json]),
            (&["application/json;q=0, text/event-stream; Q = 0.0, */*"], &[]),
            (&["*/*;q=0.000"], &[]),
            (&["text/html, application/xhtml+xml"], &[]),
            (&["application/json, text/event-stream"], &[]),
            (&[], &[]),
        ] {
            let mut headers = headers(&header::ACCEPT, accept);
            name_accepted(&mut headers);
            let all: Vec<_> =
                headers.get_all(header::ACCEPT).iter().map(|value| value.to_str().unwrap()).collect();
            assert_eq!(all, [accept, named].concat(), "{accept:?}");
        }
    }

    #[test]
    fn only_plain_utf_8_is_read() {
        for (name, value, is_read) in [
            (header::CONTENT_TYPE, "application/json", true),
            (header::CONTENT_TYPE, "application/json; charset=UTF-8", true),
            (header::CONTENT_TYPE, "application/json;profile=a; charset=\"utf-8\"", true),
            (header::CONTENT_TYPE, "application/json; charset=utf-16", false),
            (header::CONTENT_TYPE, "application/json; Charset = latin1", false),
            (header::CONTENT_ENCODING, "identity", true),
            (header::CONTENT_ENCODING, "gzip", false),
            (header::CONTENT_ENCODING, "identity, br", false),
        ] {
            assert_eq!(unsupported(&headers(&name, &[value])).is_none(), is_read, "{value}");
        }
    }
}
