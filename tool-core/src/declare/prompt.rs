//! The declarations of prompts, and lists of them.

use std::fmt;

use crate::declare::declaration::{Declaration, Options};
use crate::declare::entry::Entry;
use crate::model::operation::Operation;

/// A declared prompt. Its arguments are read, and its function is entered, like those of a tool that reads.
#[derive(Debug)]
#[must_use]
pub struct PromptDeclaration(pub(crate) Declaration);

impl PromptDeclaration {
    /// Creates a declaration without options.
    pub const fn new(name: &'static str, entry: Entry) -> Self {
        // Prompts are few, so each is asked for its needs.
        PromptDeclaration(Declaration::new(name, Operation::Read, entry).takes(false, true))
    }

    /// Records `access = …`.
    pub const fn guarded(self) -> Self {
        PromptDeclaration(self.0.guarded())
    }

    /// Makes `build()` check defaults and constraints against the schema.
    pub const fn check_at_build(self) -> Self {
        PromptDeclaration(self.0.check_at_build())
    }

    /// Sets the rarely used options.
    pub const fn options(self, options: &'static Options) -> Self {
        PromptDeclaration(self.0.options(options))
    }
}

/// A list of prompts, created by [`prompts!`](crate::prompts), for
/// [`RegistryBuilder::prompts`](crate::RegistryBuilder::prompts).
///
/// ```
/// use tool_core::{Prompts, prompt, prompts};
///
/// /// Asks for a joke.
/// #[prompt]
/// fn joke() -> &'static str {
///     "Tell me a joke."
/// }
///
/// const PROMPTS: Prompts = prompts![joke];
/// assert_eq!(format!("{PROMPTS:?}"), r#"["joke"]"#);
/// ```
#[derive(Clone, Copy)]
pub struct Prompts(&'static [&'static PromptDeclaration]);

impl Prompts {
    pub(crate) fn declarations(self) -> impl Iterator<Item = &'static PromptDeclaration> {
        self.0.iter().copied()
    }
}

impl fmt::Debug for Prompts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|declaration| declaration.0.name)).finish()
    }
}

/// Builds the list of `prompts![…]`.
pub const fn listed_prompts(declarations: &'static [&'static PromptDeclaration]) -> Prompts {
    Prompts(declarations)
}

/// Lists prompts by the paths of their functions, for [`RegistryBuilder::prompts`](crate::RegistryBuilder::prompts).
///
/// As with [`tools!`](crate::tools), a path must name the module where the function is declared.
///
/// ```
/// use tool_core::{Registry, prompt, prompts};
///
/// /// Asks for a riddle.
/// #[prompt]
/// fn riddle(/** How hard it is. */ level: Option<u8>) -> String {
///     format!("Ask me a riddle of level {}.", level.unwrap_or(1))
/// }
///
/// let registry = Registry::builder().prompts(prompts![riddle]).build().unwrap();
/// assert!(registry.prompt("riddle").is_some());
/// ```
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! prompts {
    ($($path:tt)*) => {
        $crate::private::__prompts! { $crate, $($path)* }
    };
}
