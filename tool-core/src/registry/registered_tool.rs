//! A registered tool.

use std::sync::Arc;

use crate::call::target::Scope;
use crate::call::tool::Tool;
use crate::definition::ToolDefinition;
use crate::model::extensions::Extensions;

/// A tool of a registry.
///
/// A program builds one for each of its tools when it starts, so it is small and shares data with other tools.
pub(super) struct RegisteredTool {
    pub(super) definition: ToolDefinition,
    /// Differences from a declared tool in the scope of this registry.
    pub(super) overrides: Option<Arc<ToolOverrides>>,
}

/// The properties that a tool does not share with all tools of its registry.
#[derive(Clone)]
pub(super) struct ToolOverrides {
    /// The dynamic tool. A declared tool is called through its declaration.
    pub(super) dynamic: Option<Arc<dyn Tool>>,
    pub(super) scope: Arc<Scope>,
    /// The extensions of its calls; those of the call take precedence.
    pub(super) extensions: Option<Arc<Extensions>>,
}

impl RegisteredTool {
    pub(super) fn is_dynamic(&self) -> bool {
        self.overrides.as_ref().is_some_and(|overrides| overrides.dynamic.is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::RegisteredTool;

    // A command line builds one for each of a thousand tools when it starts.
    #[test]
    fn is_small() {
        assert!(size_of::<RegisteredTool>() <= 4 * size_of::<usize>(), "{}", size_of::<RegisteredTool>());
    }
}
