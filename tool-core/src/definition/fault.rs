//! Faults of dynamic definitions.

use crate::model::meta::MetaError;
use crate::model::permission::PermissionError;
use crate::model::ui::UiError;
use crate::schema::problem::Problem;
use crate::schema::{Escaped, SchemaError};

/// Why the definition of a tool is invalid.
///
/// ```
/// use tool_core::ToolDefinition;
/// use tool_core::definition::DefinitionFault;
///
/// let error = ToolDefinition::builder("get/weather", "The weather of a day.").build().unwrap_err();
/// assert_eq!((error.name(), error.fault()), ("get/weather", &DefinitionFault::Name));
/// assert!(error.to_string().starts_with("tool `get/weather`: its name is not made of 1 to 128 of the characters"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tool `{}`: {fault}", Escaped(.name))]
pub struct DefinitionError {
    name: String,
    #[source]
    fault: Box<DefinitionFault>,
}

impl DefinitionError {
    pub(crate) fn new(name: String, fault: DefinitionFault) -> Self {
        DefinitionError { name, fault: Box::new(fault) }
    }

    /// Creates an error for a definition that the application rejects, so that the tool is skipped and reported like
    /// others.
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

    /// Returns the name of the tool, as given.
    ///
    /// ```
    /// # use tool_core::ToolDefinition;
    /// assert_eq!(ToolDefinition::builder("", "Nothing.").build().unwrap_err().name(), "");
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the fault.
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

/// The fault of a definition.
///
/// ```
/// let fault = tool_core::definition::DefinitionFault::NoDescription;
/// assert_eq!(fault.to_string(), "it has no description");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFault {
    /// The name is not allowed by MCP or in a path.
    #[error(
        "its name is not made of 1 to 128 of the characters `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or of dots alone"
    )]
    Name,
    /// The description is missing: models choose tools by it.
    #[error("it has no description")]
    NoDescription,
    /// The description is too long.
    #[error("its description is longer than {most} bytes")]
    LongDescription {
        /// The limit in bytes.
        most: usize,
    },
    /// The hints contradict the operation.
    #[error("its operation and its hints contradict one another: {0}")]
    Contradiction(&'static str),
    /// The task options are invalid, or do not fit the tool.
    #[error("it cannot run as a task: {0}")]
    Task(&'static str),
    /// The metadata has a key that is malformed or reserved.
    #[error("{0}")]
    Meta(#[source] MetaError),
    /// The page is empty, or has a malformed origin.
    #[error("{0}")]
    Ui(#[source] UiError),
    /// The permission is empty, or its text form is ambiguous.
    #[error("{0}")]
    Permission(#[source] PermissionError),
    /// The path is invalid.
    #[error("{}", Escaped(.0))]
    Path(String),
    /// The input schema is invalid.
    #[error("its input schema was refused: {0}")]
    InputSchema(#[source] SchemaError),
    /// The output schema is invalid.
    #[error("its output schema was refused: {0}")]
    OutputSchema(#[source] SchemaError),
    /// The JSON does not have the shape of a definition.
    #[error("{0}")]
    Json(Problem),
    /// A parameter is invalid, or conflicts with another one.
    #[error("one of its inputs is wrong: {0}")]
    Parameter(Problem),
    /// The application rejects the definition.
    #[error("{}", Escaped(.0))]
    Refused(String),
    /// An example is invalid for the input schema.
    #[error("one of its examples is invalid: {0}")]
    Example(Problem),
}
