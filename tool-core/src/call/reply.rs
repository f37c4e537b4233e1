//! The answer to one call.

use crate::model::call_id::CallId;
use crate::model::failure::Failure;
use crate::model::output::Output;

/// The answer to one call, and the identifier that joins it to the log.
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
    /// What came of it.
    pub result: Result<Output, Failure>,
    /// What is shown in the place of it where it is too large, and a [`ResultStore`](crate::results::ResultStore) keeps the rest.
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
