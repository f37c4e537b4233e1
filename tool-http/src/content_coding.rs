//! Content codings that a client accepts (RFC 9110, section 12.5.3), and the compression of responses.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use http_body::Body;
use tower_http::compression::predicate::{Predicate, SizeAbove};

/// Whether a client accepts uncompressed and gzip responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AcceptedCodings {
    pub(crate) identity: bool,
    pub(crate) gzip: bool,
}

impl AcceptedCodings {
    /// Reads `Accept-Encoding`. Invalid parts are ignored.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let (mut identity, mut gzip, mut any) = (None, None, None);
        let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
        for element in lines.flat_map(|line| line.split(',')) {
            let (coding, weight) = element.split_once(';').unwrap_or((element, "q=1"));
            let Some(accepted) = is_accepted(weight.trim()) else { continue };
            match coding.trim() {
                "*" => any = any.or(Some(accepted)),
                coding if coding.eq_ignore_ascii_case("identity") => identity = identity.or(Some(accepted)),
                coding if ["gzip", "x-gzip"].iter().any(|name| coding.eq_ignore_ascii_case(name)) => {
                    gzip = gzip.or(Some(accepted));
                }
                _ => {}
            }
        }
        AcceptedCodings { identity: identity.or(any).unwrap_or(true), gzip: gzip.or(any).unwrap_or(false) }
    }

    /// Marks a response for compression, if the client does not accept it uncompressed.
    pub(crate) fn mark(self, response: &mut Response) {
        if !self.identity {
            response.extensions_mut().insert(IdentityNotAccepted);
        }
    }

    /// Returns `true` if the client accepts neither.
    pub(crate) fn is_empty(self) -> bool {
        !self.identity && !self.gzip
    }
}

/// Marks a response that the client does not accept uncompressed.
#[derive(Clone, Copy, Debug)]
struct IdentityNotAccepted;

/// Marks a response that must not be compressed, such as a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoCompression;

/// Smaller responses are not worth compressing.
const MIN_COMPRESSED_SIZE: u64 = 1024;

/// Decides which responses are compressed; empty ones never are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompressionPredicate;

impl Predicate for CompressionPredicate {
    fn should_compress<B: Body>(&self, response: &axum::http::Response<B>) -> bool {
        let extensions = response.extensions();
        let has_no_body = matches!(response.status(), StatusCode::NOT_MODIFIED | StatusCode::NO_CONTENT)
            || response.body().size_hint().exact() == Some(0);
        if has_no_body || extensions.get::<NoCompression>().is_some() {
            return false;
        }
        extensions.get::<IdentityNotAccepted>().is_some()
            || SizeAbove::new(MIN_COMPRESSED_SIZE).should_compress(response)
    }
}

/// Returns `true` if a weight is greater than zero; `None` if it is invalid.
fn is_accepted(weight: &str) -> Option<bool> {
    let value = weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="))?;
    value.parse::<f32>().ok().map(|value| value > 0.0)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::AcceptedCodings;

    #[test]
    fn parses_accept_encoding() {
        for (text, identity, gzip) in [
            ("", true, false),
            ("gzip", true, true),
            ("X-GZIP ; q=0.001", true, true),
            ("gzip;q=0", true, false),
            ("br", true, false),
            ("*", true, true),
            ("*;q=0", false, false),
            ("*;q=0.0, gzip", false, true),
            ("*;q=0, identity;q=0.1", true, false),
            ("identity;q=0", false, false),
            ("identity;q=0, gzip;q=0.5", false, true),
            ("gzip;q=x", true, false),
            ("gzip;level=9", true, false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(text))]);
            assert_eq!(AcceptedCodings::from_headers(&headers), AcceptedCodings { identity, gzip }, "{text}");
        }
        assert_eq!(
            AcceptedCodings::from_headers(&HeaderMap::new()),
            AcceptedCodings { identity: true, gzip: false }
        );
    }
}
