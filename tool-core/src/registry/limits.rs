//! The limits of a registry, and where its calls are recorded.

use std::sync::Arc;

use crate::call::audit::AuditSink;
use crate::model::setters::setters;
use crate::registry::builder::RegistryBuilder;

impl RegistryBuilder {
    setters! {
        /// Sets the time limit of calls of tools that have none of their own (`#[tool(timeout = "…")]`). There is no limit by
        /// default.
        ///
        /// A call that takes longer fails as [`Timeout`](crate::FailureKind::Timeout). A tool that modifies nothing is dropped and
        /// its [`Context`](crate::Context) canceled. A tool that modifies continues, and so does a blocking thread. A function that is
        /// neither `async` nor `blocking` cannot be interrupted and has no limit.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().timeout(Duration::from_secs(30));
        /// ```
        #[cfg(feature = "tokio")]
        pub fn timeout(limit: std::time::Duration) => limits.timeout = Some(limit);

        /// Sets how many calls run at the same time. There is no limit by default.
        ///
        /// As many calls again may wait, see [`RegistryBuilder::queue`]. Callers take turns, so that one with a thousand calls does
        /// not block the others. If the queue is full, the caller with the most waiting calls loses one, which fails as
        /// [`Busy`](crate::FailureKind::Busy).
        ///
        /// A call that a tool makes through its injected [`Registry`](crate::Registry) uses the permit of that tool's call.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().concurrency(100);
        /// assert!(Registry::builder().allow_empty().concurrency(0).build().is_err());
        /// ```
        pub fn concurrency(calls: usize) => limits.concurrency = Some(calls);

        /// Sets how many calls may wait while [`RegistryBuilder::concurrency`] calls run.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let never_wait = Registry::builder().concurrency(100).queue(0);
        /// ```
        pub fn queue(calls: usize) => limits.queue = Some(calls);

        /// Sets the number of threads for tools declared `blocking`; the default is 64. Callers take turns as for
        /// [`RegistryBuilder::concurrency`], and any number of calls may wait. The number should be lower than that of the blocking
        /// threads of the runtime.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().blocking_threads(8);
        /// ```
        #[cfg(feature = "tokio")]
        pub fn blocking_threads(threads: usize) => limits.threads = threads;

        /// Sets the largest size of an output in bytes; the default is 16 MiB.
        ///
        /// A call with a larger output fails, with the size in its message. A registry that
        /// [stores results](RegistryBuilder::storing) stores a large output before that, and shows a preview. Return a link to a
        /// resource instead ([`Content::link`](crate::Content::link)), or add an input that narrows the answer.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().output_limit(1 << 20);
        /// ```
        pub fn output_limit(bytes: usize) => limits.outputs.most_bytes = bytes;

        /// Sets whether outputs are validated against the output schema. A call with an invalid output fails as
        /// [`Internal`](crate::FailureKind::Internal), and the log has the path of the error.
        ///
        /// By default an output is validated only where its type does not guarantee that it matches the schema: if the schema has a
        /// range, a length or a pattern, or if a number may be `NaN` or infinite, which JSON does not have. With `true` every
        /// output is validated, which finds mistakes of a manual `Serialize` or `JsonSchema` in tests; with `false` no output of a
        /// declared tool is.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().check_outputs(true);
        /// ```
        pub fn check_outputs(check: bool) => limits.outputs.checked = Some(check);

        /// Records every call in this sink, see [`AuditSink`]. Replaces an earlier sink.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().audit(|event: &tool_core::audit::AuditEvent<'_>| println!("{event:?}"));
        /// ```
        pub fn audit(sink: impl AuditSink + 'static) => audit = Some(Arc::new(sink));

        /// Sets the key for the digests of arguments in audit events, so that events of several processes can be compared. The key
        /// is as secret as the arguments. Without it, each process creates its own key.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// # let from_the_vault = [0; 32];
        /// let builder = Registry::builder().audit_key(from_the_vault);
        /// ```
        pub fn audit_key(key: [u8; 32]) => audit_key = Some(key);

        /// Sets whether the spans of calls have the arguments and the results, at most 16 KiB of each; `false` by default.
        /// Secret inputs are left out. A tool whose result has secrets should not be called with this.
        ///
        /// ```
        /// # use tool_core::Registry;
        /// let builder = Registry::builder().trace_content(cfg!(debug_assertions));
        /// ```
        pub fn trace_content(record: bool) => trace_content = record;
    }
}

#[cfg(all(test, not(feature = "tokio")))]
mod tests;
