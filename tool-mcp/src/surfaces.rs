//! Whether tools that are published as resources are tools too.

use std::fmt;
use std::str::FromStr;

/// Whether a tool that is published as a resource is listed as a tool too.
///
/// The table of [`tool_core::address::Surface`] says which tools are published as resources or resource templates. Many
/// clients give models only tools, so by default these are listed as tools as well.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).surfaces(tool_mcp::Surfaces::Exclusive);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Surfaces {
    /// Resources and resource templates are listed as tools too.
    #[default]
    Inclusive,
    /// Resources and resource templates are not tools, and cannot be called.
    Exclusive,
}

impl Surfaces {
    /// Both values, for a command-line option.
    ///
    /// ```
    /// assert_eq!(tool_mcp::Surfaces::ALL.map(|surfaces| surfaces.as_str()), ["inclusive", "exclusive"]);
    /// ```
    pub const ALL: [Surfaces; 2] = [Surfaces::Inclusive, Surfaces::Exclusive];

    /// Returns the name in lower case.
    ///
    /// ```
    /// assert_eq!(tool_mcp::Surfaces::default().as_str(), "inclusive");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Surfaces::Inclusive => "inclusive",
            Surfaces::Exclusive => "exclusive",
        }
    }
}

impl fmt::Display for Surfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The error of parsing an unknown name of [`Surfaces`].
///
/// ```
/// let error = "both".parse::<tool_mcp::Surfaces>().unwrap_err();
/// assert_eq!(error.to_string(), "`both` is none of: inclusive, exclusive");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of: inclusive, exclusive")]
pub struct UnknownSurfaces(String);

impl FromStr for Surfaces {
    type Err = UnknownSurfaces;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Surfaces::ALL.into_iter().find(|surfaces| surfaces.as_str() == text);
        found.ok_or_else(|| UnknownSurfaces(text.to_owned()))
    }
}
