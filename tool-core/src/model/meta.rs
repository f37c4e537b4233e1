//! Metadata of tools and results for clients: the `_meta` of MCP.

use serde_json::{Map, Value};

/// The namespace of what the adapters add.
const OWN: &str = "tool-core";

/// The names without a prefix that the protocol and W3C Trace Context define, and the one that HTTP responses have.
const RESERVED: [&str; 5] = ["progressToken", "traceparent", "tracestate", "baggage", "callId"];

/// Why something cannot be metadata.
///
/// ```
/// use tool_core::{MetaError, Output};
///
/// let error = Output::empty().with_meta("io.modelcontextprotocol/owner", "web").unwrap_err();
/// assert_eq!(error, MetaError::Reserved("io.modelcontextprotocol/owner".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetaError {
    /// The key does not have the form that MCP requires.
    #[error(
        "`{0}` cannot be a key of metadata: expected letters, digits, `-`, `_` and `.`, after a domain as a prefix, such as \
         `com.example/owner`"
    )]
    Key(String),
    /// The key belongs to MCP, to a trace, or to what the adapters add.
    #[error(
        "the key `{0}` of metadata is reserved: begin it with a domain of your own, such as `com.example/owner`"
    )]
    Reserved(String),
    /// The value of the option `meta` is no JSON object.
    #[error("metadata must be a JSON object, such as `{{\"com.example/owner\": \"web\"}}`")]
    NotAnObject,
    /// The value cannot be written as JSON.
    #[error("metadata cannot be written as JSON: {0}")]
    NotJson(String),
}

/// Checks the keys of metadata.
pub(crate) fn check(meta: &Map<String, Value>) -> Result<(), MetaError> {
    meta.keys().try_for_each(|key| check_key(key))
}

/// Checks a key (MCP 2026-07-28, "_meta"): an optional prefix of labels with dots in between and a slash, and a name.
pub(crate) fn check_key(key: &str) -> Result<(), MetaError> {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let labels: Vec<&str> = prefix.into_iter().flat_map(|prefix| prefix.split('.')).collect();
    // A name may be empty after a prefix.
    let is_valid_name = is_within_alphanumeric(name, "-_.") || (prefix.is_some() && name.is_empty());
    if !is_valid_name || !labels.iter().all(|label| is_label(label)) {
        return Err(MetaError::Key(key.chars().take(80).collect()));
    }
    let is_of_mcp = |label: &&str| matches!(*label, "mcp" | "modelcontextprotocol");
    let is_reserved = match prefix {
        Some(prefix) => prefix == OWN || labels.iter().take(2).any(is_of_mcp),
        None => RESERVED.contains(&name),
    };
    if is_reserved { Err(MetaError::Reserved(key.to_owned())) } else { Ok(()) }
}

/// Returns `true` if a text begins with a letter, and is made of letters, digits and inner hyphens.
fn is_label(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && is_within_alphanumeric(text, "-")
}

/// Returns `true` if a text begins and ends with a letter or digit, and has only these and some others in between.
fn is_within_alphanumeric(text: &str, inner: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    text.starts_with(is_plain)
        && text.ends_with(is_plain)
        && text.chars().all(|c| is_plain(c) || inner.contains(c))
}

#[cfg(test)]
mod tests {
    use super::{MetaError, check_key};

    #[test]
    fn accepts_keys_of_applications() {
        for key in
            ["owner", "ui", "a", "com.example/owner", "com.example.mcp/owner", "x-y/a.b_c-d", "com.example/"]
        {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
    }

    #[test]
    fn rejects_malformed_keys() {
        for key in [
            "",
            "/",
            "/a",
            "a b",
            "-a",
            "a-",
            "1a/b",
            "a-/b",
            "a..b/c",
            "a/b/c",
            "com.example/ü",
            "com.example/-a",
        ] {
            assert_eq!(check_key(key), Err(MetaError::Key(key.to_owned())), "{key}");
        }
    }

    #[test]
    fn rejects_reserved_keys() {
        for key in [
            "io.modelcontextprotocol/x",
            "modelcontextprotocol.io/x",
            "mcp.dev/x",
            "tools.mcp.com/x",
            "mcp/x",
            "tool-core/digest",
            "progressToken",
            "traceparent",
            "tracestate",
            "baggage",
            "callId",
        ] {
            assert_eq!(check_key(key), Err(MetaError::Reserved(key.to_owned())), "{key}");
        }
    }
}
