//! What can be wrong with a definition that somebody wrote by hand.

use std::fmt;

use crate::model::permission::PermissionError;
use crate::schema::problem::Problem;
use crate::schema::{Escaped, SchemaError};

/// Why a definition was refused, and whose.
///
/// ```
/// use tool_core::ToolDefinition;
/// use tool_core::definition::DefinitionFault;
///
/// let error = ToolDefinition::builder("get/weather", "The weather of a day.").build().unwrap_err();
/// assert_eq!((error.name(), error.fault()), ("get/weather", &DefinitionFault::Name));
/// assert!(error.to_string().starts_with("tool `get/weather`: its name is not made of 1 to 128 of the characters"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError {
    name: String,
    fault: Box<DefinitionFault>,
}

impl DefinitionError {
    pub(crate) fn new(name: String, fault: DefinitionFault) -> Self {
        DefinitionError { name, fault: Box::new(fault) }
    }

    /// A definition that an application refuses for a reason of its own, so that it is left out and reported as any other.
    ///
    /// ```
    /// use tool_core::definition::DefinitionError;
    ///
    /// let error = DefinitionError::refused("get_price", "there is no provider `shop`");
    /// assert_eq!(error.to_string(), "tool `get_price`: there is no provider `shop`");
    /// ```
    pub fn refused(name: impl Into<String>, reason: impl Into<String>) -> Self {
        DefinitionError::new(name.into(), DefinitionFault::Refused(reason.into()))
    }

    /// The name of the tool, as it was given.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// assert_eq!(ToolDefinition::builder("", "Nothing.").build().unwrap_err().name(), "");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// # use tool_core::definition::DefinitionFault;
    /// let error = ToolDefinition::builder("quiet", " ").build().unwrap_err();
    /// assert_eq!(*error.fault(), DefinitionFault::NoDescription);
    /// ```
    pub fn fault(&self) -> &DefinitionFault {
        &self.fault
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool `{}`: {}", Escaped(&self.name), self.fault)
    }
}

impl std::error::Error for DefinitionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.fault)
    }
}

/// What is wrong with a definition.
///
/// ```
/// let fault = tool_core::definition::DefinitionFault::NoDescription;
/// assert_eq!(fault.to_string(), "it has no description");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFault {
    /// A name that MCP does not allow, or that a path would read as something else.
    #[error(
        "its name is not made of 1 to 128 of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or of dots alone"
    )]
    Name,
    /// No description: a model chooses a tool by it.
    #[error("it has no description")]
    NoDescription,
    /// A description of more bytes than this.
    #[error("its description is longer than {most} bytes")]
    LongDescription {
        /// The limit.
        most: usize,
    },
    /// Hints that contradict the operation.
    #[error("its operation and its hints contradict one another: {0}")]
    Contradiction(&'static str),
    /// A permission that asks for nothing, or whose text form would be read as another one.
    #[error("{0}")]
    Permission(#[source] PermissionError),
    /// A path that is of no use.
    #[error("{}", Escaped(.0))]
    Path(String),
    /// An input schema that was refused.
    #[error("its input schema was refused: {0}")]
    InputSchema(#[source] SchemaError),
    /// An output schema that was refused.
    #[error("its output schema was refused: {0}")]
    OutputSchema(#[source] SchemaError),
    /// A definition as JSON that has another shape, and where.
    #[error("{0}")]
    Json(Problem),
    /// A parameter that contradicts itself or another one.
    #[error("one of its inputs is wrong: {0}")]
    Parameter(Problem),
    /// What an application has against it.
    #[error("{}", Escaped(.0))]
    Refused(String),
    /// An example that the input schema does not admit.
    #[error("one of its examples is invalid: {0}")]
    Example(Problem),
}
