//! A tool as a registry holds it.

use std::sync::Arc;

use crate::call::target::Scope;
use crate::call::tool::Tool;
use crate::context::extensions::Extensions;
use crate::definition::ToolDefinition;

/// One tool of a registry.
///
/// A program that starts makes one for each of its tools, and calls one of them: so it is small, and nothing is counted that
/// all have in common.
pub(super) struct RegisteredTool {
    pub(super) definition: ToolDefinition,
    /// What is not as it is for a declared tool that is at home here.
    pub(super) overrides: Option<Arc<ToolOverrides>>,
}

/// What a tool has for itself, or together with those that it came with.
#[derive(Clone)]
pub(super) struct ToolOverrides {
    /// The tool itself, where it is written by hand. One that is declared is entered by its declaration.
    pub(super) dynamic: Option<Arc<dyn Tool>>,
    pub(super) scope: Arc<Scope>,
    /// What stands beside its calls whoever calls, under what the caller brings along.
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

    // A command line makes one for each of a thousand tools before it does anything.
    #[test]
    fn a_member_has_few_words() {
        assert!(size_of::<RegisteredTool>() <= 4 * size_of::<usize>(), "{}", size_of::<RegisteredTool>());
    }
}
