//! Registration at link time. `inventory` occurs in this file and nowhere else.

use crate::declare::declaration::Declaration;
use crate::declare::prompt::PromptDeclaration;

/// A declaration on its way into `linked`.
#[derive(Debug)]
pub struct Registered(pub &'static Declaration);

/// The declaration of a prompt on its way into `linked_prompts`.
#[derive(Debug)]
pub struct RegisteredPrompt(pub &'static PromptDeclaration);

#[cfg(feature = "inventory")]
inventory::collect!(Registered);

#[cfg(feature = "inventory")]
inventory::collect!(RegisteredPrompt);

/// Every declaration of every crate that was linked into this program, in no order.
#[cfg(feature = "inventory")]
pub(crate) fn linked() -> impl Iterator<Item = &'static Declaration> {
    inventory::iter::<Registered>.into_iter().map(|registered| registered.0)
}

/// Every prompt of every crate that was linked into this program, in no order.
#[cfg(feature = "inventory")]
pub(crate) fn linked_prompts() -> impl Iterator<Item = &'static PromptDeclaration> {
    inventory::iter::<RegisteredPrompt>.into_iter().map(|registered| registered.0)
}

#[cfg(feature = "inventory")]
#[doc(hidden)]
pub use inventory;

/// Leaves a declaration where [`linked`] or `linked_prompts` finds it.
#[cfg(feature = "inventory")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    (prompt $declaration:expr) => {
        $crate::private::inventory::submit! { $crate::private::RegisteredPrompt($declaration) }
    };
    ($declaration:expr) => {
        $crate::private::inventory::submit! { $crate::private::Registered($declaration) }
    };
}

/// Without registration at link time a declaration is found by its name alone, as `tools![…]` does.
#[cfg(not(feature = "inventory"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($($declaration:tt)*) => {};
}
