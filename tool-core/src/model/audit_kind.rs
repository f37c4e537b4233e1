//! The kind of a call: of a tool or a prompt.

use serde::Serialize;

/// The kind of a call.
///
/// ```
/// assert_eq!(serde_json::to_string(&tool_core::audit::AuditKind::Prompt).unwrap(), r#""prompt""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AuditKind {
    /// A tool was called.
    Tool,
    /// The messages of a prompt were requested.
    Prompt,
}

impl AuditKind {
    /// Returns the name as that of a tool or of a prompt, for log fields.
    pub(crate) fn split(self, name: &str) -> (Option<&str>, Option<&str>) {
        match self {
            AuditKind::Tool => (Some(name), None),
            AuditKind::Prompt => (None, Some(name)),
        }
    }
}
