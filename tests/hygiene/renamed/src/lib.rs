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

/// A type with methods that are tools.
#[derive(Debug)]
pub struct Step(pub i64);

#[renamed_core::tool]
impl Step {
    /// Through the name in the manifest.
    #[tool(operation = Read, crate = renamed_core)]
    pub fn step_in_the_manifest(&self, number: i64) -> i64 {
        number + self.0
    }

    /// Through a module of another crate that is one.
    #[renamed_core::tool(operation = Read, crate = facade::core)]
    pub async fn step_handed_on(&self, number: i64) -> i64 {
        number - self.0
    }
}

/// Through the name in the manifest.
#[renamed_core::prompt(crate = renamed_core)]
pub fn renamed_prompt(number: i64) -> String {
    number.to_string()
}

/// It, listed by a crate that cannot name `tool_core`.
pub const PROMPTS: renamed_core::Prompts = facade::deep::prompts![renamed_prompt];

/// Some of them, listed by a crate that cannot name `tool_core` either.
pub const TOOLS: facade::core::Declared =
    facade::core::tools![handed_on, relative::named_from_below, Step::step_handed_on];

fn may_add(_: &renamed_core::Principal, number: &i64) -> renamed_core::Access {
    if *number < 0 { renamed_core::Access::deny("too little") } else { renamed_core::Access::Allow }
}

fn is_met() -> Result<(), renamed_core::Unmet> {
    Ok(())
}

fn proposed(typed: &str) -> Vec<String> {
    vec![typed.to_owned()]
}

const MOST: u8 = 9;

/// Says what it can, with a name of `tool_core` in all of it.
#[tool(
    operation = Read,
    crate = renamed_core,
    permission = all("a", "b"),
    access = may_add(number),
    requires = [is_met],
    tags = ["renamed"],
    path = "renamed/{number}",
    timeout = "1s",
    cache = "1s",
    alias = "not_renamed"
)]
#[deprecated]
pub async fn renamed_with_options(
    #[arg(locator, complete = proposed, range(min = 0 - 1, max = MOST))] number: i64,
) -> i64 {
    number
}

/// Relative paths are those of the module.
pub mod relative {
    use super::core_again::tool;

    /// Through a path that begins below.
    #[tool(operation = Transform, crate = super::core_again)]
    pub fn named_from_below(number: i64) -> i64 {
        number * 3
    }
}
