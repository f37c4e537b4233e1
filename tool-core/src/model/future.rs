//! Futures of the application, behind a pointer.

use std::pin::Pin;

/// A future behind a pointer, as a trait that is used as `dyn` must return it.
///
/// ```
/// use tool_core::BoxFuture;
///
/// fn later(n: i64) -> BoxFuture<'static, i64> {
///     Box::pin(async move { n })
/// }
/// # assert_eq!(tool_core::private::block_on(later(5)), 5);
/// ```
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
