//! A problem with an input.

use std::fmt;

use serde::Serialize;

/// A problem with an input.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let json = r#"{"path":"/city","message":"missing required input","keyword":"required"}"#;
/// let problem: tool_core::Problem = serde_json::from_str(json).unwrap();
/// assert_eq!(problem.to_string(), "/city: missing required input");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// The JSON Pointer (RFC 6901) into the arguments. For a missing input, it is where the input should be.
    pub path: String,
    /// What was expected, and what was received.
    pub message: String,
    /// The violated keyword of JSON Schema, such as `required` or `type`; `format` for a text that does not decode,
    /// `tool` for a problem reported by the tool ([`ToolError::invalid`](crate::ToolError::invalid)).
    pub keyword: String,
    /// A similar name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, keyword: &str, message: impl Into<String>) -> Self {
        Problem { path: path.into(), message: message.into(), keyword: keyword.to_owned(), suggestion: None }
    }

    /// Creates a problem without details, which would take too long to find.
    pub(crate) fn unexplained() -> Self {
        Problem::new("", "schema", "it does not match the schema, and is nested too deeply to be explained")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.suggestion {
            Some(name) => write!(f, " (there is one with a similar name: `{name}`)"),
            None => Ok(()),
        }
    }
}
