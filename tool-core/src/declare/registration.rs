//! Registration at link time. Only this file uses `inventory`.

use crate::declare::declaration::Declaration;
use crate::declare::prompt::PromptDeclaration;

/// A declaration registered for `linked`.
#[derive(Debug)]
pub struct Registered(pub &'static Declaration);

/// A prompt declaration registered for `linked_prompts`.
#[derive(Debug)]
pub struct LinkedPrompt(pub &'static PromptDeclaration);

#[cfg(feature = "inventory")]
inventory::collect!(Registered);

#[cfg(feature = "inventory")]
inventory::collect!(LinkedPrompt);

/// Returns the declarations of all linked crates, in no particular order.
#[cfg(feature = "inventory")]
pub(crate) fn linked() -> impl Iterator<Item = &'static Declaration> {
    inventory::iter::<Registered>.into_iter().map(|registered| registered.0)
}

/// Returns the prompts of all linked crates, in no particular order.
#[cfg(feature = "inventory")]
pub(crate) fn linked_prompts() -> impl Iterator<Item = &'static PromptDeclaration> {
    inventory::iter::<LinkedPrompt>.into_iter().map(|registered| registered.0)
}

#[cfg(feature = "inventory")]
#[doc(hidden)]
pub use inventory;

/// Registers a declaration for [`linked`] or `linked_prompts`.
#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    (prompt $declaration:expr) => {
        $crate::private::inventory::submit! { $crate::private::LinkedPrompt($declaration) }
    };
    ($declaration:expr) => {
        $crate::private::inventory::submit! { $crate::private::Registered($declaration) }
    };
}

/// Does nothing: without registration at link time, tools are listed with `tools![…]`.
#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($($declaration:tt)*) => {};
}
