//! Where a tool was declared.

use std::fmt;

/// Where a tool was declared.
///
/// ```
/// # use tool_core::{Registry, tool};
/// /// Nothing much.
/// #[tool(operation = Explain)]
/// fn located() {}
/// # let registry = Registry::builder().linked().select(|tool| tool.name() == "located").build().unwrap();
/// let source = registry.get("located").unwrap().source();
/// assert_eq!(source.to_string(), format!("{}:{}", source.file, source.line));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source<'d> {
    /// The file, as the compiler was given it.
    pub file: &'d str,
    /// The line of the function's name, counted from 1.
    pub line: u32,
    /// The module path.
    pub module: &'d str,
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
