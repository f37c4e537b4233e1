//! The metadata of a protected resource.

use serde_json::Value;

/// The metadata of a protected resource (RFC 9728), and the path where clients look for it.
///
/// ```
/// use serde_json::json;
/// use tool_core::authentication::ResourceMetadata;
///
/// let metadata = ResourceMetadata {
///     path: "/.well-known/oauth-protected-resource/mcp".to_owned(),
///     document: json!({"resource": "https://tools.example.org/mcp"}),
/// };
/// assert!(metadata.path.starts_with("/.well-known/"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceMetadata {
    /// The path below the root of the server, which does not depend on the permissions.
    pub path: String,
    /// The document, a JSON object.
    pub document: Value,
}
