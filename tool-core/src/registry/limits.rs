//! How a registry runs its tools: how many at once, how long, what may come out, and who is told.

use std::sync::Arc;

use crate::call::Limits;
use crate::call::audit::AuditSink;
use crate::definition::ToolDefinition;
use crate::registry::builder::RegistryBuilder;
use crate::registry::error::BuildError;

impl RegistryBuilder {
    /// How long a call may take whose tool does not say: as `#[tool(timeout = "…")]` on every other tool. No limit by
    /// default.
    ///
    /// The caller is then answered [`Timeout`](crate::FailureKind::Timeout). A tool that modifies nothing is dropped,
    /// its [`Context`](crate::Context) cancelled; one that modifies runs on, and so does a thread that blocks. A function
    /// that is neither `async` nor `blocking` cannot be interrupted, so that no limit holds for it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().timeout(Duration::from_secs(30));
    /// ```
    #[cfg(feature = "tokio")]
    pub fn timeout(mut self, limit: std::time::Duration) -> Self {
        self.limits.timeout = Some(limit);
        self
    }

    /// How many calls run at once. No limit by default.
    ///
    /// As many again may wait, unless [`RegistryBuilder::queue`] says otherwise, and the callers among them take turns, so that
    /// one with a thousand calls does not keep another from making one. Where no place is left, the caller with the most
    /// waiting calls loses one, and what finds no place is answered [`Busy`](crate::FailureKind::Busy).
    ///
    /// A call that a tool makes through its injected [`Registry`](crate::Registry) goes on with the place of that tool's call.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().concurrency(100);
    /// assert!(Registry::builder().allow_empty().concurrency(0).build().is_err());
    /// ```
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.limits.concurrency = Some(calls);
        self
    }

    /// How many calls wait when [`RegistryBuilder::concurrency`] run.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let never_wait = Registry::builder().concurrency(100).queue(0);
    /// ```
    pub fn queue(mut self, calls: usize) -> Self {
        self.limits.queue = Some(calls);
        self
    }

    /// How many threads there are for tools declared `blocking`: 64 by default. Their calls take turns as those of
    /// [`RegistryBuilder::concurrency`] do, and all may wait. The runtime has threads of its own for this, and fewer than it has
    /// should be used.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().blocking_threads(8);
    /// ```
    #[cfg(feature = "tokio")]
    pub fn blocking_threads(mut self, threads: usize) -> Self {
        self.limits.threads = threads;
        self
    }

    /// The most bytes that an output may have: 16 MiB by default.
    ///
    /// A greater one is not sent. The call fails and says how much it was, whatever the shape: half of a JSON value is
    /// none, and half of a text passes for the whole. Return a link to a resource instead
    /// ([`Content::link`](crate::Content::link)), or take an input that narrows the answer.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().output_limit(1 << 20);
    /// ```
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.limits.outputs.most_bytes = bytes;
        self
    }

    /// Whether each output is checked against the schema that its tool has published. One that breaks it is answered
    /// [`Internal`](crate::FailureKind::Internal), and the log says where.
    ///
    /// By default an output is checked where its type does not guarantee that it keeps to the schema, in debug and release
    /// builds alike: where the schema has a range, a length or a pattern of the author's, and where a number may have been
    /// `NaN` or infinite, which JSON does not have. What serde writes and what schemars says of it agree where both are
    /// derived, and a second pass over such an output costs and finds nothing. With `true` every output is checked, so that
    /// tests find what a hand-written `Serialize` or `JsonSchema` gets wrong; with `false` none of a declared tool is.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().check_outputs(true);
    /// ```
    pub fn check_outputs(mut self, check: bool) -> Self {
        self.limits.outputs.checked = Some(check);
        self
    }

    /// Where every call is recorded: see [`AuditSink`]. The last one given counts.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let builder = Registry::builder().audit(|event: &tool_core::audit::AuditEvent<'_>| println!("{event:?}"));
    /// ```
    pub fn audit(mut self, sink: impl AuditSink + 'static) -> Self {
        self.audit = Some(Arc::new(sink));
        self
    }

    /// The key of the digests of arguments in audit events, for an application whose processes are to be compared with one
    /// another. It is as secret as the arguments. Without it each process makes a key of its own.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # let from_the_vault = [0; 32];
    /// let builder = Registry::builder().audit_key(from_the_vault);
    /// ```
    pub fn audit_key(mut self, key: [u8; 32]) -> Self {
        self.audit_key = Some(key);
        self
    }
}

/// What cannot be kept of all this.
pub(super) fn faults_of_limits<'t>(
    limits: Limits,
    tools: impl Iterator<Item = &'t ToolDefinition>,
) -> Vec<BuildError> {
    let none = [
        ("concurrency", limits.concurrency == Some(0)),
        ("blocking_threads", limits.threads == 0),
        ("timeout", limits.timeout.is_some_and(|limit| limit.is_zero())),
    ];
    let mut faults: Vec<_> =
        none.into_iter().filter(|(_, is_none)| *is_none).map(|(name, _)| BuildError::NoRoom(name)).collect();
    if cfg!(not(feature = "tokio")) {
        let limited = tools.filter(|tool| tool.timeout().is_some());
        faults.extend(
            limited.map(|tool| BuildError::NoTimers { tool: tool.name().to_owned(), location: tool.place() }),
        );
    }
    faults
}

#[cfg(all(test, not(feature = "tokio")))]
mod tests {
    use std::time::Duration;

    use serde_json::Value;

    use crate::call::tool::DynamicTool;
    use crate::definition::ToolDefinition;
    use crate::model::output::Output;
    use crate::registry::Registry;
    use crate::registry::error::BuildError;

    #[test]
    fn a_time_limit_without_timers_is_a_fault() {
        let definition = ToolDefinition::builder("late", "Takes its time.").timeout(Duration::from_secs(1));
        let tool = DynamicTool::new(definition.build().unwrap(), |_, _: Value| async { Ok(Output::empty()) });
        let errors = Registry::builder().tool(tool).build().unwrap_err();
        let [BuildError::NoTimers { tool, .. }] = errors.iter().collect::<Vec<_>>()[..] else {
            panic!("{errors}");
        };
        assert_eq!(tool, "late");
    }
}
