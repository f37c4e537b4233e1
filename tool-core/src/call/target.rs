//! What is called, and what a call needs beside its arguments.

use std::sync::Arc;

use crate::call::admission::Admission;
use crate::call::audit::Audit;
use crate::call::run::Executor;
use crate::call::tool::Tool;
use crate::context::extensions::Extensions;
use crate::declare::entry::Entry;
use crate::declare::state::States;
use crate::definition::ToolDefinition;
use crate::model::audit_kind::AuditKind;
use crate::schema::leniency::Leniency;

/// A tool as it is called, or what is called for a prompt.
#[derive(Clone, Copy)]
pub(crate) struct Target<'r> {
    pub(crate) kind: AuditKind,
    pub(crate) definition: &'r ToolDefinition,
    pub(crate) implementation: Implementation<'r>,
    pub(crate) scope: &'r Scope,
    pub(crate) extensions: Option<&'r Arc<Extensions>>,
}

/// What a call of a tool runs.
#[derive(Clone, Copy)]
pub(crate) enum Implementation<'r> {
    /// The function of a declared tool, through the entry that the macro generated.
    Declared(Entry),
    /// A tool that implements [`Tool`].
    Dynamic(&'r Arc<dyn Tool>),
    /// Nothing: there is only a definition, and arguments are validated by its schema.
    Absent,
}

impl<'r> Implementation<'r> {
    /// Returns what a call of a tool with this definition runs: `dynamic`, or else the declared function.
    #[inline]
    pub(crate) fn new(definition: &ToolDefinition, dynamic: Option<&'r Arc<dyn Tool>>) -> Self {
        match (dynamic, definition.entry()) {
            (Some(tool), _) => Implementation::Dynamic(tool),
            (None, Some(entry)) => Implementation::Declared(entry),
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

/// What the tools that were registered together share: all that a call of one of them needs beside its arguments.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) states: States,
    pub(crate) executor: Executor,
    pub(crate) admission: Admission,
    pub(crate) leniency: Leniency,
    pub(crate) audit: Option<Audit>,
}
