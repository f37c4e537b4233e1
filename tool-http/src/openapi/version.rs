//! The versions of OpenAPI.

use std::fmt;
use std::str::FromStr;

/// A version of OpenAPI.
///
/// ```
/// use tool_http::OpenApiVersion;
///
/// assert_eq!("3.0".parse(), Ok(OpenApiVersion::V3_0));
/// assert_eq!(OpenApiVersion::default().as_str(), "3.1");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpenApiVersion {
    /// OpenAPI 3.1, whose schemas are JSON Schema.
    #[default]
    V3_1,
    /// OpenAPI 3.0, for programs that do not read a later version. Its schemas may allow more than those of the tools, since it has
    /// fewer keywords.
    V3_0,
}

impl OpenApiVersion {
    /// All versions, the default first.
    pub const ALL: [OpenApiVersion; 2] = [OpenApiVersion::V3_1, OpenApiVersion::V3_0];

    /// Returns the number without a patch level.
    ///
    /// ```
    /// assert_eq!(tool_http::OpenApiVersion::V3_0.as_str(), "3.0");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            OpenApiVersion::V3_1 => "3.1",
            OpenApiVersion::V3_0 => "3.0",
        }
    }
}

impl fmt::Display for OpenApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for OpenApiVersion {
    type Err = UnknownOpenApiVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        OpenApiVersion::ALL.into_iter().find(|it| it.as_str() == text).ok_or(UnknownOpenApiVersion)
    }
}

/// An error for text that is not an [`OpenApiVersion`].
///
/// ```
/// let error = "2.0".parse::<tool_http::OpenApiVersion>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown version of OpenAPI: expected `3.1` or `3.0`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown version of OpenAPI: expected `3.1` or `3.0`")]
pub struct UnknownOpenApiVersion;
