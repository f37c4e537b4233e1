//! One thing that is wrong with an input.

use std::fmt;

use serde::Serialize;

/// One thing that is wrong with an input.
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
    /// Where: a JSON Pointer (RFC 6901) into the arguments. A missing input has the place where it should be.
    pub path: String,
    /// What is wrong: what was expected and what came.
    pub message: String,
    /// The keyword of JSON Schema that was broken, such as `required` or `type`; `format` for a text that does not decode, `tool`
    /// for what the tool itself refuses ([`ToolError::invalid`](crate::ToolError::invalid)).
    pub keyword: String,
    /// The name that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggestion: Option<String>,
}

impl Problem {
    pub(crate) fn new(path: impl Into<String>, keyword: &str, message: impl Into<String>) -> Self {
        Problem { path: path.into(), message: message.into(), keyword: keyword.to_owned(), suggestion: None }
    }

    /// Something is wrong, and what it is cannot be told in little time.
    pub(crate) fn unexplained() -> Self {
        Problem::new("", "schema", "it does not fit the schema, in a way that is too deep to be told")
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
