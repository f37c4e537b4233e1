//! Tools in a crate that cannot name `tool_core`: it knows that crate by another name, and through another crate.

use facade::core::State;
use renamed_core::tool;

mod core_again {
    pub(crate) use renamed_core::*;
}

/// Through the name in the manifest.
#[tool(operation = Transform, crate = renamed_core)]
pub fn renamed_in_the_manifest(
    /** A number. */
    number: i64,
    #[arg(default = 1, example = 2)] step: i64,
) -> i64 {
    number + step
}

/// Through the name in the manifest, from the root.
#[tool(operation = Write, destructive = false, crate = ::renamed_core)]
pub async fn renamed_from_the_root(
    #[inject] state: State<u32>,
    text: Option<String>,
) -> Result<String, String> {
    text.map(|text| format!("{text} {}", *state)).ok_or_else(|| "nothing".to_owned())
}

/// Through a module of another crate that is one.
#[tool(operation = Transform, crate = facade::core)]
pub fn handed_on(number: i64) -> i64 {
    -number
}

/// Through a glob in another crate.
#[tool(operation = Transform, blocking, crate = facade::deep)]
pub fn handed_on_by_a_glob(number: i64) -> i64 {
    number * number
}

/// Through a glob in this one.
#[tool(operation = Transform, crate = crate::core_again)]
pub fn imported(number: i64) -> i64 {
    number / 2
}

/// Some of them, listed by a crate that cannot name `tool_core` either.
pub const TOOLS: facade::core::Declared = facade::core::tools![handed_on, relative::named_from_below];

/// Relative paths are those of the module.
pub mod relative {
    use super::core_again::tool;

    /// Through a path that begins below.
    #[tool(operation = Transform, crate = super::core_again)]
    pub fn named_from_below(number: i64) -> i64 {
        number * 3
    }
}
