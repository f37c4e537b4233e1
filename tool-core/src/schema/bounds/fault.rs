//! Faults of untrusted schemas.

use std::fmt;

use crate::schema::json::pointer::pointer;

/// Why a schema is invalid, and where.
///
/// ```
/// use tool_core::ToolDefinition;
/// use tool_core::definition::DefinitionFault;
/// use tool_core::schema::SchemaFault;
///
/// let schema = serde_json::json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}});
/// let error = ToolDefinition::builder("remote", "Does something.").input_schema(schema).build().unwrap_err();
/// let DefinitionFault::InputSchema(error) = error.fault() else { panic!("{error}") };
/// assert_eq!(error.pointer(), "/properties/a/$ref");
/// assert_eq!(*error.fault(), SchemaFault::RemoteReference("https://example.com/a".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    pointer: String,
    fault: SchemaFault,
}

impl SchemaError {
    pub(crate) fn new(pointer: impl Into<String>, fault: SchemaFault) -> Self {
        SchemaError { pointer: pointer.into(), fault }
    }

    /// Returns the error of a value for the array or object that has it.
    pub(super) fn within(self, name: &str) -> Self {
        SchemaError { pointer: pointer(name) + &self.pointer, ..self }
    }

    /// Returns the path of the fault: a JSON Pointer (RFC 6901) into the schema, empty for its root.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// # use tool_core::definition::DefinitionFault;
    /// # let error = ToolDefinition::builder("a", "A.").input_schema(true.into()).build().unwrap_err();
    /// # let DefinitionFault::InputSchema(error) = error.fault() else { panic!("{error}") };
    /// assert_eq!(error.pointer(), "");
    /// ```
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the fault.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// # use tool_core::definition::DefinitionFault;
    /// # let error = ToolDefinition::builder("a", "A.").input_schema(true.into()).build().unwrap_err();
    /// # let DefinitionFault::InputSchema(error) = error.fault() else { panic!("{error}") };
    /// assert_eq!(*error.fault(), tool_core::schema::SchemaFault::NoObject);
    /// ```
    pub fn fault(&self) -> &SchemaFault {
        &self.fault
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "at {}: ", Escaped(&self.pointer))?;
        }
        write!(f, "{}", self.fault)
    }
}

impl std::error::Error for SchemaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.fault.source()
    }
}

/// The fault of a schema.
///
/// A schema is JSON Schema 2020-12, or the part of draft-07 that means the same. Its root is an object schema, and
/// every `$ref` stays within the document. The cost of validation is limited.
///
/// ```
/// let fault = tool_core::schema::SchemaFault::TooDeep { most: 64 };
/// assert_eq!(fault.to_string(), "it is nested more than 64 levels deep");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// The root is not `type: object`, as MCP and the model APIs require.
    #[error("the root must have `\"type\": \"object\"`")]
    NoObject,
    /// The schema is too large as compact JSON.
    #[error("it is larger than {most} bytes")]
    TooLarge {
        /// The limit.
        most: usize,
    },
    /// The schema has too many JSON values.
    #[error("it consists of more than {most} values")]
    TooManyValues {
        /// The limit.
        most: usize,
    },
    /// Objects and lists, or schemas through `$ref`s, are nested too deeply.
    #[error("it is nested more than {most} levels deep")]
    TooDeep {
        /// The limit.
        most: usize,
    },
    /// Too many schemas apply to one value, through `anyOf`, `oneOf`, `allOf` and `$ref`.
    #[error("more than {most} schemas apply to one value once each `$ref` is followed")]
    TooManyAlternatives {
        /// The limit.
        most: u64,
    },
    /// The schema is too large once every `$ref` is expanded.
    #[error("it has more than {most} schemas once each `$ref` is followed")]
    TooManySchemas {
        /// The limit.
        most: u64,
    },
    /// The compiled patterns are too large.
    #[error("its patterns take more than {most} bytes once they are compiled")]
    TooManyPatterns {
        /// The limit.
        most: usize,
    },
    /// A `$ref` points to another document, which is never loaded.
    #[error("`$ref` leads to another document, `{}`: only references that begin with `#` are followed", Escaped(.0))]
    RemoteReference(String),
    /// A `$ref` points to something in this document that is not a schema, or to an `$anchor`.
    #[error("`$ref` leads to `{}`, which is not a schema of this document", Escaped(.0))]
    UnknownReference(String),
    /// A schema applies itself to the same value again.
    #[error("the schema refers to itself endlessly, without consuming any part of the value")]
    EndlessReference,
    /// `$schema` names an unsupported dialect.
    #[error(
        "`$schema` names the dialect `{}`: only JSON Schema 2020-12 and draft-07 are understood", Escaped(.0)
    )]
    Dialect(String),
    /// A keyword is not supported, or has another meaning in the dialect of `$schema`.
    #[error("`{keyword}` is not understood: {reason}")]
    Keyword {
        /// The keyword.
        keyword: String,
        /// Why, and what to use instead, if anything.
        reason: &'static str,
    },
    /// A pattern is not a regular expression, is too large, or cannot run in linear time because of look-around or back
    /// references.
    #[error(
        "the pattern `{}` is no regular expression without look-around and back references, or it is too large",
        Escaped(.0)
    )]
    Pattern(String),
    /// A property name is too long or has control characters.
    #[error("the property `{}` has a name that is too long or has control characters", Escaped(.0))]
    PropertyName(String),
    /// An `x-mcp-header` is invalid; MCP clients skip a tool that has one.
    #[error("`x-mcp-header` {0}")]
    Header(&'static str),
    /// The schema violates the meta-schema of JSON Schema 2020-12.
    #[error("it is not a valid JSON Schema: {}", Escaped(.0))]
    Invalid(String),
}

/// Displays untrusted text in a message: shortened, and with control and non-ASCII characters escaped.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: AsRef<str>> fmt::Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.as_ref();
        for c in text.chars().take(MAX_ESCAPED) {
            if c.is_ascii() && !c.is_ascii_control() {
                write!(f, "{c}")?;
            } else {
                write!(f, "{}", c.escape_unicode())?;
            }
        }
        if text.chars().nth(MAX_ESCAPED).is_some() {
            f.write_str("…")?;
        }
        Ok(())
    }
}

const MAX_ESCAPED: usize = 120;
