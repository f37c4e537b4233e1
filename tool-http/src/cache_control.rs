//! For whom an answer is, as caches have to know.

use axum::http::{HeaderMap, HeaderValue, header};

/// For whom the answer to a request is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheControl {
    /// Whether it depends on what the request says of its sender.
    pub(crate) depends_on_caller: bool,
    /// Whether it is meant for this caller alone.
    pub(crate) private: bool,
}

impl CacheControl {
    /// Tells a cache (RFC 9111, sections 4.1 and 5.2.2.7).
    pub(crate) fn apply(self, headers: &mut HeaderMap) {
        if self.depends_on_caller {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, authorization"));
        }
        if self.private {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private"));
        }
    }
}
