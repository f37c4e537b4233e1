//! Boxed futures.

use std::pin::Pin;

/// A boxed future, for methods of `dyn` traits.
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
