//! The target of a call, and the scope that it was registered in.

use std::sync::Arc;

use crate::call::admission::Admission;
use crate::call::audit::Audit;
use crate::call::executor::Executor;
use crate::call::implementation::Implementation;
use crate::call::layer::Layers;
use crate::declare::states::States;
use crate::definition::ToolDefinition;
use crate::model::audit_kind::AuditKind;
use crate::model::extensions::Extensions;
use crate::schema::leniency::Leniency;

/// The target of a call: a tool, or the definition behind a prompt.
#[derive(Clone, Copy)]
pub(crate) struct Target<'r> {
    pub(crate) kind: AuditKind,
    pub(crate) definition: &'r ToolDefinition,
    pub(crate) implementation: Implementation<'r>,
    pub(crate) scope: &'r Scope,
    pub(crate) extensions: Option<&'r Arc<Extensions>>,
}

/// The state, limits, settings and audit of tools that were registered together.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) states: States,
    pub(crate) executor: Executor,
    pub(crate) admission: Admission,
    pub(crate) leniency: Leniency,
    pub(crate) audit: Option<Audit>,
    /// Whether arguments and results are recorded in spans.
    pub(crate) traces_content: bool,
    pub(crate) layers: Layers,
    /// Whether calls wait for a permit or run layers before they enter a tool: one test for both, so that neither costs a call that
    /// has none.
    pub(crate) is_deferred: bool,
    /// The engine of the tasks.
    #[cfg(feature = "tasks")]
    pub(crate) tasks: Option<Arc<dyn crate::tasks::TaskEngine>>,
}

impl Scope {
    /// Returns `true` if there is an engine that runs tasks.
    pub(crate) fn has_task_engine(&self) -> bool {
        #[cfg(feature = "tasks")]
        return self.tasks.is_some();
        #[cfg(not(feature = "tasks"))]
        false
    }
}
