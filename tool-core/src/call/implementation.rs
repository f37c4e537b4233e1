//! The implementation of a tool.

use std::sync::Arc;

use crate::call::tool::Tool;
use crate::declare::entry::Entry;
use crate::definition::ToolDefinition;

/// The implementation of a tool.
#[derive(Clone, Copy)]
pub(crate) enum Implementation<'r> {
    /// The function of a declared tool, through the entry that the macro generated.
    Declared(Entry),
    /// A tool that implements [`Tool`].
    Dynamic(&'r Arc<dyn Tool>),
    /// None: there is only a definition, and arguments are validated by its schema.
    Absent,
}

impl<'r> Implementation<'r> {
    /// Returns the implementation for this definition: `dynamic`, or else the declared function.
    #[inline]
    pub(crate) fn new(definition: &ToolDefinition, dynamic: Option<&'r Arc<dyn Tool>>) -> Self {
        match (dynamic, definition.declaration()) {
            (Some(tool), _) => Implementation::Dynamic(tool),
            (None, Some(declaration)) => Implementation::Declared(declaration.entry),
            (None, None) => Implementation::Absent,
        }
    }

    /// Returns the entry of a declared tool.
    #[inline]
    pub(crate) fn entry(self) -> Option<Entry> {
        match self {
            Implementation::Declared(entry) => Some(entry),
            Implementation::Dynamic(_) | Implementation::Absent => None,
        }
    }
}
