//! Progress of a running call.

use std::fmt;
use std::sync::Arc;

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

/// The progress sink of a call. Two are equal if they are the same sink.
#[derive(Clone)]
pub(crate) struct ProgressHandle(Arc<dyn ProgressSink>);

impl ProgressHandle {
    pub(crate) fn new(sink: Arc<dyn ProgressSink>) -> Self {
        ProgressHandle(sink)
    }

    pub(crate) fn report(&self, progress: &Progress<'_>) {
        // A panic of the sink is logged, and must not stop the call.
        let _ = catch_panic(|| self.0.report(progress));
    }
}

impl PartialEq for ProgressHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for ProgressHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressHandle")
    }
}
