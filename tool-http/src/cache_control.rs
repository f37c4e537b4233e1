//! The headers of a response that control caches.

use axum::http::{HeaderMap, HeaderValue, header};

/// Who may reuse the response to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheControl {
    /// Whether the response depends on the caller.
    pub(crate) depends_on_caller: bool,
    /// Whether the response is for this caller only.
    pub(crate) private: bool,
}

impl CacheControl {
    /// Sets the headers (RFC 9111, sections 4.1 and 5.2.2.7).
    pub(crate) fn apply(self, headers: &mut HeaderMap) {
        if self.depends_on_caller {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding, authorization"));
        }
        if self.private {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private"));
        }
    }
}
