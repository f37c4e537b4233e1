//! How far a call has come, told while it runs.

use std::fmt;
use std::sync::Arc;

use crate::context::Context;
use crate::model::catch_panic::catch_panic;

/// How far a call has come.
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
    /// How much is done.
    pub done: u64,
    /// How much there is to do, where that is known.
    pub total: Option<u64>,
    /// What is being done, in words that the caller may see; empty where nothing is said.
    pub message: &'p str,
}

/// Whom a call tells how far it has come: given to it with [`CallOptions::progress`](crate::CallOptions::progress). A function or a closure of a
/// [`Progress`] is a sink.
///
/// It is called on the thread of the tool and should be quick. When it panics, the call goes on.
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
    /// Hears how far the call has come.
    fn report(&self, progress: &Progress<'_>);
}

impl<F: Fn(&Progress<'_>) + Send + Sync> ProgressSink for F {
    fn report(&self, progress: &Progress<'_>) {
        self(progress);
    }
}

impl Context {
    /// Tells the caller how far the call has come, if it wants to know: how much is done, of how much in all where that
    /// is known, and what is being done, which may be empty. `done` should not decrease.
    ///
    /// ```
    /// # let context = tool_core::Context::for_tests("copy");
    /// context.progress(3, 10, "copying");
    /// context.progress(4, None, "");
    /// ```
    pub fn progress(&self, done: u64, total: impl Into<Option<u64>>, message: &str) {
        if let Some(ProgressHandle(sink)) = self.progress_sink() {
            // A panic is in the log; what the call does is worth more than that somebody watches it.
            let _ = catch_panic(|| sink.report(&Progress { done, total: total.into(), message }));
        }
    }
}

/// The sink of a call. Two are equal when they are one.
#[derive(Clone)]
pub(crate) struct ProgressHandle(Arc<dyn ProgressSink>);

impl ProgressHandle {
    pub(crate) fn new(sink: Arc<dyn ProgressSink>) -> Self {
        ProgressHandle(sink)
    }
}

impl PartialEq for ProgressHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for ProgressHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reporter")
    }
}
