//! As what the tools of a registry are shown.

use std::fmt;
use std::str::FromStr;

/// Whether what is read is shown as a tool too.
///
/// By the table of [`tool_core::address::Surface`], a tool that explains or reads by its locators alone is a resource or a resource
/// template. Many clients give models nothing but tools, so that by default it is a tool as well.
///
/// ```
/// use tool_mcp::{Server, Surfaces};
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).surfaces(Surfaces::Exclusive);
/// assert_eq!("exclusive".parse(), Ok(Surfaces::Exclusive));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Surfaces {
    /// What is a resource or a resource template is in the list of tools too.
    #[default]
    Inclusive,
    /// Everything is shown as one thing: what is read is no tool, and cannot be called.
    Exclusive,
}

impl Surfaces {
    /// Both, for the values of an option.
    ///
    /// ```
    /// assert_eq!(tool_mcp::Surfaces::ALL.map(|surfaces| surfaces.as_str()), ["inclusive", "exclusive"]);
    /// ```
    pub const ALL: [Surfaces; 2] = [Surfaces::Inclusive, Surfaces::Exclusive];

    /// The word for it.
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

/// A word that is none of [`Surfaces`].
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
