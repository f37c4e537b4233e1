//! The options of a call that its context gives access to.

use std::sync::Arc;

use crate::context::Context;
use crate::context::elicitation::ElicitationClient;
use crate::context::logging::LogSink;
use crate::context::progress::ProgressSink;
use crate::context::shared::SharedHandle;
use crate::context::task_call::TaskCall;
use crate::model::extensions::Extensions;
use crate::model::trace::TraceParent;

/// The options of a call that its context gives access to.
#[derive(Clone, Debug)]
pub(crate) struct ContextOptions {
    pub(crate) trace: Option<TraceParent>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) progress: Option<SharedHandle<dyn ProgressSink>>,
    pub(crate) log: Option<SharedHandle<dyn LogSink>>,
    pub(crate) client: Option<ElicitationClient>,
    /// The call of the tool that makes this call.
    pub(crate) outer: Option<Context>,
    /// The task that the call runs for.
    pub(crate) task: Option<SharedHandle<TaskCall>>,
}

/// The options of a call for which none are set.
pub(crate) static NO_OPTIONS: ContextOptions = ContextOptions::new();

impl ContextOptions {
    pub(crate) const fn new() -> Self {
        ContextOptions {
            trace: None,
            extensions: None,
            progress: None,
            log: None,
            client: None,
            outer: None,
            task: None,
        }
    }

    /// Returns the extension of this type.
    pub(crate) fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.as_ref()?.get()
    }

    /// Returns the token that cancels a call with these options.
    #[cfg(feature = "tokio")]
    pub(crate) fn cancellation(&self) -> tokio_util::sync::CancellationToken {
        self.task.as_ref().map(|call| call.0.cancellation.child_token()).unwrap_or_default()
    }

    /// Returns these options, completed by `defaults`.
    pub(crate) fn or(&self, defaults: &Self) -> Self {
        ContextOptions {
            trace: self.trace.or(defaults.trace),
            extensions: Extensions::layered(self.extensions.as_ref(), defaults.extensions.as_ref()),
            progress: self.progress.as_ref().or(defaults.progress.as_ref()).cloned(),
            log: self.log.as_ref().or(defaults.log.as_ref()).cloned(),
            client: self.client.as_ref().or(defaults.client.as_ref()).cloned(),
            outer: self.outer.as_ref().or(defaults.outer.as_ref()).cloned(),
            task: self.task.as_ref().or(defaults.task.as_ref()).cloned(),
        }
    }
}

/// Options are equal if they hold the same objects: extensions and sinks are compared by their address.
impl PartialEq for ContextOptions {
    fn eq(&self, other: &Self) -> bool {
        let extensions = match (&self.extensions, &other.extensions) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        extensions
            && self.trace == other.trace
            && self.progress == other.progress
            && self.log == other.log
            && self.client == other.client
            && self.outer.as_ref().map(Context::call_id) == other.outer.as_ref().map(Context::call_id)
            && self.task == other.task
    }
}
