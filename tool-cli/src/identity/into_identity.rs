//! The result of looking up a caller.

use std::fmt::Display;

use tool_core::{BoxFuture, Principal};

/// The result of the function that looks up the caller for `--as ID`, which is [async](crate::App::identities_async) or
/// [not](crate::App::identities): an `Option<Principal>`, or a `Result` of one.
///
/// ```
/// use tool_cli::IntoIdentity;
/// use tool_core::Principal;
///
/// let nobody: Option<Principal> = None;
/// assert_eq!(nobody.into_identity(), Ok(None));
/// let unread: Result<Option<Principal>, &str> = Err("the users cannot be read");
/// assert_eq!(unread.into_identity(), Err("the users cannot be read".to_owned()));
/// ```
pub trait IntoIdentity {
    /// Returns the caller, or `None` if it is unknown.
    ///
    /// # Errors
    ///
    /// Returns the text of the error if the lookup failed. The user sees this text.
    fn into_identity(self) -> Result<Option<Principal>, String>;
}

impl IntoIdentity for Option<Principal> {
    fn into_identity(self) -> Result<Option<Principal>, String> {
        Ok(self)
    }
}

impl<E: Display> IntoIdentity for Result<Option<Principal>, E> {
    fn into_identity(self) -> Result<Option<Principal>, String> {
        self.map_err(|error| error.to_string())
    }
}

/// The function that looks up callers.
pub(crate) type Identities =
    Box<dyn Fn(&str) -> BoxFuture<'static, Result<Option<Principal>, String>> + Send + Sync>;
