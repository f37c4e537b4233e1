//! Lists of tools, for programs without registration at link time.

use std::fmt;

use crate::declare::declaration::Declaration;

/// A list of tools, created by [`tools!`](crate::tools), for [`RegistryBuilder::tools`](crate::RegistryBuilder::tools).
///
/// A list is a constant: a library can define it once for every application.
///
/// ```
/// use tool_core::{Declared, Registry, tool, tools};
///
/// mod letters {
///     use tool_core::{Declared, tool, tools};
///
///     /// The number of letters.
///     #[tool(operation = Transform)]
///     pub fn count_letters(/** A text. */ text: String) -> usize {
///         text.chars().count()
///     }
///
///     /// Everything that this module offers.
///     pub const TOOLS: Declared = tools![count_letters];
/// }
///
/// let registry = Registry::builder().tools(letters::TOOLS).build().unwrap();
/// assert!(registry.get("count_letters").is_some());
/// ```
#[derive(Clone, Copy)]
pub struct Declared(&'static [&'static Declaration]);

impl Declared {
    pub(crate) fn declarations(self) -> impl Iterator<Item = &'static Declaration> {
        self.0.iter().copied()
    }
}

impl fmt::Debug for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|declaration| declaration.name)).finish()
    }
}

/// Builds the list of `tools![…]`.
pub const fn declared(declarations: &'static [&'static Declaration]) -> Declared {
    Declared(declarations)
}

/// Lists tools by the paths of their functions, for [`RegistryBuilder::tools`](crate::RegistryBuilder::tools).
///
/// It needs no registration at link time, so it works without the feature `inventory` and on every target.
///
/// ```
/// use tool_core::{Registry, tool, tools};
///
/// mod math {
///     use tool_core::tool;
///
///     /// Adds two numbers.
///     #[tool(operation = Transform)]
///     pub fn sum_of(/** First. */ a: i64, /** Second. */ b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// /// The opposite of a number.
/// #[tool(operation = Transform)]
/// fn opposite(/** The number. */ n: i64) -> i64 {
///     -n
/// }
///
/// let registry = Registry::builder().tools(tools![math::sum_of, opposite]).build().unwrap();
/// assert_eq!(registry.tools().len(), 2);
/// ```
///
/// A function without `#[tool]` does not compile: the compiler cannot find `__tool_attribute_of_` and its name.
///
/// A path must name the module where the function is declared, because a `use` of the function does not import what
/// `#[tool]` generates beside it. For a re-exported function, list it where it is declared, and re-export the list, a
/// [`Declared`].
///
/// ```compile_fail,E0425
/// mod math {
///     /// Adds two numbers.
///     #[tool_core::tool(operation = Transform)]
///     pub fn total_of(/** First. */ a: i64, /** Second. */ b: i64) -> i64 {
///         a + b
///     }
/// }
/// use math::total_of;
///
/// let tools = tool_core::tools![total_of]; // write `math::total_of`
/// ```
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! tools {
    ($($path:tt)*) => {
        $crate::private::__tools! { $crate, $($path)* }
    };
}
