//! Tools under every lint of the compiler, the strict groups of clippy, and much of what clippy leaves to taste.
//!
//! Three of the last kind speak of generated code as if its author had written it, because it stands where the author's
//! words stand: `absolute_paths`, `default_numeric_fallback` (a default is JSON and needs no type) and `single_call_fn`.
#![forbid(unsafe_code)]
#![deny(
    warnings,
    future_incompatible,
    keyword_idents,
    let_underscore,
    nonstandard_style,
    refining_impl_trait,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    unused,
    absolute_paths_not_starting_with_crate,
    ambiguous_negative_literals,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    ffi_unwind_calls,
    impl_trait_redundant_captures,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    non_ascii_idents,
    redundant_imports,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unused_crate_dependencies,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::as_conversions,
    clippy::exhaustive_structs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::items_after_statements,
    clippy::let_underscore_must_use,
    clippy::let_underscore_untyped,
    clippy::missing_docs_in_private_items,
    clippy::missing_inline_in_public_items,
    clippy::module_name_repetitions,
    clippy::panic,
    clippy::redundant_closure_for_method_calls,
    clippy::shadow_reuse,
    clippy::shadow_unrelated,
    clippy::single_char_lifetime_names,
    clippy::std_instead_of_core,
    clippy::tests_outside_test_module,
    clippy::unwrap_used,
    clippy::use_self,
    clippy::wildcard_imports
)]

use core::future::ready;

use tool_core::{Context, Declared, State, ToolError, tool, tools};

/// Adds two numbers.
#[inline]
#[must_use]
#[tool(operation = Transform, open_world = false)]
pub const fn strict_add(
    /// The first.
    first: i64,
    /// The second.
    #[arg(default = 5, example = 7)]
    second: i64,
) -> i64 {
    first.wrapping_add(second)
}

/// Owns what it is given, and does not need to.
#[inline]
#[must_use]
#[tool(operation = Transform)]
pub fn strict_length(text: String, #[arg(default)] words: Vec<String>, other: Option<String>) -> usize {
    let length = words.iter().map(String::len).sum::<usize>();
    text.len().wrapping_add(length).wrapping_add(other.map_or(0, |other_text| other_text.len()))
}

/// Takes everything that a tool can take.
///
/// # Errors
///
/// When the text is empty.
#[inline]
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    open_world = false,
    name = "strict.everything",
    title = "Everything"
)]
pub async fn strict_everything(
    #[inject] state: State<String>,
    #[inject] context: Context,
    text: String,
    #[arg(rename = "count", default = 3)] mut number: u32,
) -> Result<String, ToolError> {
    if text.is_empty() {
        return Err(ToolError::failed("the text is empty"));
    }
    number = ready(number).await.saturating_add(1);
    Ok(format!("{} {text} {number} {}", *state, context.tool()))
}

/// Returns nothing.
#[inline]
#[tool(operation = Trigger, destructive = false, blocking)]
pub const fn strict_nothing(_unused: bool) {}

/// Is no more to be called, and says so.
#[inline]
#[must_use]
#[deprecated(since = "0.1.0", note = "call `strict_add`")]
#[tool(operation = Transform)]
pub const fn strict_deprecated(number: i64) -> i64 {
    number
}

/// Is private, and called by nobody but its callers.
#[tool(operation = Explain)]
const fn strict_private() -> &'static str {
    "private"
}

/// Some of them.
pub const TOOLS: Declared = tools![strict_add, strict_private, inner::strict_inner];

/// Modules have their own.
pub mod inner {
    use tool_core::tool;

    /// Is seen by this crate.
    #[tool(operation = Explain)]
    pub(crate) const fn strict_inner() -> bool {
        true
    }
}
