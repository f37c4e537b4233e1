//! Progress of a running call.

use crate::context::shared::SharedHandle;
use crate::model::catch_panic::catch_panic;

/// The progress of a call.
///
/// ```
/// use tool_core::progress::Progress;
///
/// fn line(progress: &Progress<'_>) -> String {
///     match progress.total {
///         Some(total) => format!("{} of {total} {}", progress.done, progress.message),
///         None => format!("{} {}", progress.done, progress.message),
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress<'p> {
    /// The work done so far.
    pub done: u64,
    /// The total work, if known.
    pub total: Option<u64>,
    /// What is being done, for the caller to read; may be empty.
    pub message: &'p str,
}

impl<'p> Progress<'p> {
    /// Creates a progress, for tests of a sink.
    ///
    /// ```
    /// let progress = tool_core::progress::Progress::new(3, 10, "copying");
    /// assert_eq!(progress.total, Some(10));
    /// ```
    pub fn new(done: u64, total: impl Into<Option<u64>>, message: &'p str) -> Self {
        Progress { done, total: total.into(), message }
    }
}

/// Receives the progress of a call; see [`CallOptions::progress`](crate::CallOptions::progress). Any function of a
/// [`Progress`] is a sink.
///
/// It runs on the thread of the tool and should return quickly. If it panics, the call continues.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tool_core::{CallOptions, Context, Registry, tool};
/// use tool_core::progress::Progress;
///
/// /// Copies pages.
/// #[tool(operation = Transform)]
/// fn copy_pages(#[inject] context: Context, /** How many. */ pages: u64) {
///     for page in 1..=pages {
///         context.progress(page, pages, "copied");
///     }
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "copy_pages").build().unwrap();
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let sink = {
///     let lines = Arc::clone(&lines);
///     move |progress: &Progress<'_>| lines.lock().unwrap().push((progress.done, progress.total))
/// };
/// let options = CallOptions::new().progress(Arc::new(sink));
/// registry.call_with("copy_pages", br#"{"pages": 2}"#, &options).await;
/// assert_eq!(*lines.lock().unwrap(), [(1, Some(2)), (2, Some(2))]);
/// # });
/// ```
pub trait ProgressSink: Send + Sync {
    /// Receives the progress of the call.
    fn report(&self, progress: &Progress<'_>);
}

impl<F: Fn(&Progress<'_>) + Send + Sync> ProgressSink for F {
    fn report(&self, progress: &Progress<'_>) {
        self(progress);
    }
}

/// Sends the progress of a call to its sink. A panic of the sink is logged, and must not stop the call.
pub(crate) fn report(sink: &SharedHandle<dyn ProgressSink>, progress: &Progress<'_>) {
    let _ = catch_panic(|| sink.0.report(progress));
}
