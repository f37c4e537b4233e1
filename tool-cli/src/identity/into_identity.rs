//! Whom an application means by an identifier.

use std::fmt::Display;

use tool_core::Principal;

/// What an application answers when it is asked [who is meant](crate::App::identities) by `--as ID`: a caller or nobody, or that it
/// could not be looked up.
///
/// ```
/// use tool_cli::Identified;
/// use tool_core::Principal;
///
/// let nobody: Option<Principal> = None;
/// assert_eq!(nobody.into_identity(), Ok(None));
/// let unread: Result<Option<Principal>, &str> = Err("the users cannot be read");
/// assert_eq!(unread.into_identity(), Err("the users cannot be read".to_owned()));
/// ```
pub trait IntoIdentity {
    /// The caller, or nobody.
    ///
    /// # Errors
    ///
    /// Why it is not known who is meant, in words that whoever typed the command may read.
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

/// What an application makes of `--as ID`.
pub(crate) type Identities = Box<dyn Fn(&str) -> Result<Option<Principal>, String> + Send + Sync>;
