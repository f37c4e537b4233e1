//! Where a tool was declared.

use std::fmt;

/// The source location of a tool.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Source<'d> {
    /// The file, as passed to the compiler.
    pub file: &'d str,
    /// The line of the function's name, counted from 1; for a dynamic tool, the line of the builder.
    pub line: u32,
    /// The module path; empty for a dynamic tool.
    pub module: &'d str,
}

impl Source<'_> {
    /// Describes the location for an error message.
    pub(crate) fn describe(&self) -> String {
        match self.module {
            "" => format!("{self}, written by hand"),
            module => format!("{self}, module {module}"),
        }
    }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The description and source location of a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metadata {
    pub(crate) description: &'static str,
    pub(crate) module: &'static str,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
}

impl Metadata {
    pub(crate) fn source(self) -> Source<'static> {
        Source { file: self.file, line: self.line, module: self.module }
    }
}
