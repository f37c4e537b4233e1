//! A version of the OpenAPI document.

use std::fmt;

use serde_json::Value;
use tool_core::Registry;

/// One version of the OpenAPI document.
pub(crate) struct OpenApiDocument {
    /// The version of OpenAPI, for `--version`.
    pub(crate) version: String,
    pub(crate) render: Box<dyn Fn(&Registry) -> Value + Send + Sync>,
}

impl fmt::Debug for OpenApiDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenApiDocument").field("version", &self.version).finish_non_exhaustive()
    }
}
