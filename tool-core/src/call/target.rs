//! What is called, for whom, and what a call needs beside its arguments.

use std::any::Any;
use std::sync::Arc;

use crate::call::admission::Admission;
use crate::call::audit::Audit;
use crate::call::run::Runner;
use crate::call::tool::Tool;
use crate::context::Caller;
use crate::context::extensions::Extensions;
use crate::declare::state::States;
use crate::definition::ToolDefinition;
use crate::model::audit_kind::AuditKind;
#[cfg(feature = "tokio")]
use crate::results::ResultStore;
use crate::schema::leniency::Leniency;

/// Who makes a call, and what the registry has for calls of this caller.
#[derive(Clone, Copy)]
pub(crate) struct CallOrigin<'c> {
    pub(crate) caller: &'c Caller,
    /// The registry through which the call comes, for a tool that calls others.
    pub(crate) registry: &'c (dyn Any + Send + Sync),
    /// Keeps what is too large to be shown.
    #[cfg(feature = "tokio")]
    pub(crate) results: Option<&'c ResultStore>,
}

/// A tool as it is called, or what is called for a prompt.
#[derive(Clone, Copy)]
pub(crate) struct Target<'r> {
    pub(crate) kind: AuditKind,
    pub(crate) definition: &'r ToolDefinition,
    pub(crate) written: Option<&'r Arc<dyn Tool>>,
    pub(crate) home: &'r Scope,
    pub(crate) extensions: Option<&'r Arc<Extensions>>,
}

/// What the tools that were registered together share: all that a call of one of them needs beside its arguments.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) states: States,
    pub(crate) runner: Runner,
    pub(crate) admission: Admission,
    pub(crate) leniency: Leniency,
    pub(crate) audit: Option<Audit>,
}
