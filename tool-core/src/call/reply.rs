//! The reply to a call.

use crate::model::call_id::CallId;
use crate::model::failure::Failure;
use crate::model::output::Output;

/// The reply to a call, with the identifier of the call, which the log has as well.
///
/// ```
/// use tool_core::{CallOptions, Registry, tool};
///
/// /// Doubles a number.
/// #[tool(operation = Transform)]
/// fn double_it(/** The number. */ n: i64) -> i64 {
///     2 * n
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "double_it").build().unwrap();
/// let reply = registry.call_with("double_it", br#"{"n": 4}"#, &CallOptions::new()).await;
/// assert_eq!(reply.result.unwrap().value(), 8);
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The identifier of the call.
    pub call_id: CallId,
    /// The output, or why the call failed.
    pub result: Result<Output, Failure>,
    /// A preview, if the result was too large and moved to the [`ResultStore`](crate::results::ResultStore).
    #[cfg(feature = "tokio")]
    pub preview: Option<Box<crate::results::Preview>>,
}

impl Reply {
    pub(crate) fn new(call_id: CallId, result: Result<Output, Failure>) -> Self {
        Reply {
            call_id,
            result,
            #[cfg(feature = "tokio")]
            preview: None,
        }
    }
}
