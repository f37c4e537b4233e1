//! The headers of a response that control caches.

use axum::http::{HeaderMap, HeaderValue, header};
use tool_core::{Registry, ToolDefinition, adapter};

/// Who may reuse the response to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheControl {
    /// Whether the response depends on the caller.
    pub(crate) depends_on_caller: bool,
    /// Whether the response is for this caller only.
    pub(crate) private: bool,
}

impl CacheControl {
    /// Sets the headers of a result: it is fresh for as long as its tool says, and for this caller only if it may depend on it.
    pub(crate) fn apply_to_result(self, tools: &Registry, tool: &ToolDefinition, headers: &mut HeaderMap) {
        self.apply(headers);
        let is_private = self.private || adapter::depends_on_caller(tools, tool);
        let private = if is_private { "private, " } else { "" };
        let value = match tool.cache().map(|fresh| fresh.as_secs()).filter(|seconds| *seconds > 0) {
            Some(seconds) => format!("{private}max-age={seconds}"),
            None => format!("{private}no-cache"),
        };
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(header::CACHE_CONTROL, value);
        }
    }

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
