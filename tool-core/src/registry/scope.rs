//! A tool as a registry holds it, and as it is called.

use std::sync::Arc;

use crate::call::Runner;
use crate::call::admission::Admission;
use crate::call::audit::{Audit, AuditKind};
use crate::call::tool::Tool;
use crate::context::extensions::Extensions;
use crate::declare::state::States;
use crate::definition::ToolDefinition;
use crate::schema::leniency::Leniency;

/// One tool of a registry.
///
/// A program that starts makes one for each of its tools, and calls one of them: so it is small, and nothing is counted that
/// all have in common.
pub(super) struct Member {
    pub(super) definition: ToolDefinition,
    /// What is not as it is for a declared tool that is at home here.
    pub(super) apart: Option<Arc<Apart>>,
}

/// What a tool has for itself, or together with those that it came with.
#[derive(Clone)]
pub(super) struct Apart {
    /// The tool itself, where it is written by hand. One that is declared is entered by its declaration.
    pub(super) written: Option<Arc<dyn Tool>>,
    pub(super) home: Arc<Home>,
    /// What stands beside its calls whoever calls, under what the caller brings along.
    pub(super) extensions: Option<Arc<Extensions>>,
}

/// A tool as it is called, or what is called for a prompt.
#[derive(Clone, Copy)]
pub(crate) struct Known<'r> {
    pub(crate) kind: AuditKind,
    pub(crate) definition: &'r ToolDefinition,
    pub(crate) written: Option<&'r Arc<dyn Tool>>,
    pub(crate) home: &'r Home,
    pub(crate) extensions: Option<&'r Arc<Extensions>>,
}

impl Member {
    pub(super) fn is_written(&self) -> bool {
        self.apart.as_ref().is_some_and(|apart| apart.written.is_some())
    }
}

/// What the tools that were registered together share: all that a call of one of them needs beside its arguments.
#[derive(Default)]
pub(crate) struct Home {
    pub(crate) states: States,
    pub(crate) runner: Runner,
    pub(crate) admission: Admission,
    pub(crate) leniency: Leniency,
    pub(crate) audit: Option<Audit>,
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::Member;

    // A command line makes one for each of a thousand tools before it does anything.
    #[test]
    fn a_member_has_few_words() {
        assert!(size_of::<Member>() <= 4 * size_of::<usize>(), "{}", size_of::<Member>());
    }
}
