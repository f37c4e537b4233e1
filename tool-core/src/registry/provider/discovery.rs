//! What a function that finds tools may return.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::call::tool::Tool;
use crate::definition::DefinitionError;
use crate::registry::Registry;
use crate::registry::provider::toolset::Toolset;

/// Why the tools of a provider cannot be listed. The cause is logged; no caller sees it.
///
/// ```
/// use tool_core::provider::DiscoveryError;
///
/// let error = DiscoveryError::new(std::io::Error::other("no route to host"));
/// assert_eq!(error.to_string(), "no route to host");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// The provider returned an error.
    Failed(Arc<dyn Error + Send + Sync>),
    /// The provider panicked; the message is in the log.
    Panicked,
    /// The provider did not answer within this time.
    Late(Duration),
    /// One of several providers failed.
    Of {
        /// The name of the provider.
        provider: String,
        /// The error.
        error: Box<DiscoveryError>,
    },
}

impl DiscoveryError {
    /// Wraps an error of any kind, or a text.
    ///
    /// ```
    /// assert_eq!(tool_core::provider::DiscoveryError::new("not yet").to_string(), "not yet");
    /// ```
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        DiscoveryError::Failed(Arc::from(error.into()))
    }

    pub(crate) fn of(provider: &str, error: Self) -> Self {
        DiscoveryError::Of { provider: provider.to_owned(), error: Box::new(error) }
    }
}

impl fmt::Display for DiscoveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscoveryError::Failed(error) => write!(f, "{error}"),
            DiscoveryError::Panicked => f.write_str("the provider panicked"),
            DiscoveryError::Late(time) => write!(f, "it did not answer within {time:?}"),
            DiscoveryError::Of { provider, error } => write!(f, "provider `{provider}`: {error}"),
        }
    }
}

impl Error for DiscoveryError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            DiscoveryError::Failed(error) => error.source(),
            DiscoveryError::Panicked | DiscoveryError::Late(_) => None,
            DiscoveryError::Of { error, .. } => error.source(),
        }
    }
}

/// Errors are equal if they have the same text.
impl PartialEq for DiscoveryError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

/// The return type of a function that finds tools: a list of tools, a list of `Result`s with definitions that may be invalid,
/// a [`Registry`], a [`Toolset`], or a `Result` of one of these with any error.
///
/// ```
/// use std::sync::Arc;
/// use tool_core::Tool;
/// use tool_core::definition::DefinitionError;
/// use tool_core::provider::IntoTools;
///
/// fn may_be_returned<T: IntoTools>() {}
/// may_be_returned::<Vec<Arc<dyn Tool>>>();
/// may_be_returned::<Result<Vec<Result<Arc<dyn Tool>, DefinitionError>>, std::io::Error>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `IntoTools`",
    label = "a provider of tools cannot return this",
    note = "return a `Vec<Arc<dyn Tool>>`, a `Registry`, or a `Result` of one of them"
)]
pub trait IntoTools {
    /// Returns the tools, or why they cannot be listed.
    #[doc(hidden)]
    fn discovered(self) -> Result<DiscoveredTools, DiscoveryError>;
}

/// The tools that were found.
#[doc(hidden)]
pub enum DiscoveredTools {
    /// Tools of no registry.
    Tools(Vec<Result<Arc<dyn Tool>, DefinitionError>>),
    /// Tools of a registry.
    Toolset(Toolset),
}

impl IntoTools for Vec<Arc<dyn Tool>> {
    fn discovered(self) -> Result<DiscoveredTools, DiscoveryError> {
        Ok(DiscoveredTools::Tools(self.into_iter().map(Ok).collect()))
    }
}

impl IntoTools for Vec<Result<Arc<dyn Tool>, DefinitionError>> {
    fn discovered(self) -> Result<DiscoveredTools, DiscoveryError> {
        Ok(DiscoveredTools::Tools(self))
    }
}

impl IntoTools for Registry {
    fn discovered(self) -> Result<DiscoveredTools, DiscoveryError> {
        Ok(DiscoveredTools::Toolset(self.into()))
    }
}

impl IntoTools for Toolset {
    fn discovered(self) -> Result<DiscoveredTools, DiscoveryError> {
        Ok(DiscoveredTools::Toolset(self))
    }
}

impl<T: IntoTools, E: Into<Box<dyn Error + Send + Sync>>> IntoTools for Result<T, E> {
    fn discovered(self) -> Result<DiscoveredTools, DiscoveryError> {
        self.map_err(DiscoveryError::new)?.discovered()
    }
}
