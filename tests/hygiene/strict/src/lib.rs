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

extern crate alloc;

use alloc::sync::Arc;
use core::future::ready;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::inject::{InjectAsync, Injection, Needs};
use tool_core::{
    Access, Context, Declared, Failure, Principal, State, ToolError, Unmet, prompt, tool, tools,
};

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

/// Who calls, found by waiting.
#[derive(Debug)]
#[non_exhaustive]
pub struct Caller {
    /// Who.
    pub name: String,
}

impl<Op> InjectAsync<Op> for Caller {
    #[inline]
    fn needs(_: &mut Needs) {}

    #[inline]
    async fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        let name = source.context().principal().id().unwrap_or_default().to_owned();
        Ok(ready(Self { name }).await)
    }
}

/// Takes nothing but what is awaited, and completes by an `async fn`.
#[inline]
#[must_use]
#[tool(operation = Read)]
pub fn strict_caller(#[inject] caller: Caller, #[arg(complete = strict_names)] greeting: String) -> String {
    format!("{greeting} {}", caller.name)
}

/// Proposes greetings.
async fn strict_names(typed: &str) -> Vec<String> {
    ready(vec![typed.to_owned()]).await
}

/// What a text may be at most.
const MOST: usize = 9;

/// The least that counts.
const LEAST: i64 = -1;

/// What is there.
#[derive(Debug)]
#[non_exhaustive]
pub struct StrictStock {
    /// The names of it.
    pub names: Vec<String>,
}

/// Some stock.
#[inline]
#[must_use]
pub fn stock() -> StrictStock {
    StrictStock { names: vec!["some".to_owned()] }
}

/// A part of the inputs.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StrictPart {
    /// One field.
    pub part: u8,
}

/// Decides.
fn may_read(_: &Principal, text: &str, state: &State<String>) -> Access {
    if text == "no" { Access::deny(format!("{} says no", **state)) } else { Access::Allow }
}

/// Decides, in its time.
async fn may_wait(principal: &Principal) -> Access {
    ready(principal.id().map_or_else(|| Access::deny("nobody"), |_| Access::Allow)).await
}

/// Is met.
fn is_met() -> Result<(), Unmet> {
    if MOST == 0 { Err(Unmet::new("nothing is anything")) } else { Ok(()) }
}

/// Is met by state.
fn has_some(stock: &StrictStock) -> Result<(), Unmet> {
    if stock.names.is_empty() { Err(Unmet::new("it is empty")) } else { Ok(()) }
}

/// Proposes.
fn proposed(typed: &str, stock: &StrictStock) -> Vec<String> {
    stock.names.iter().filter(|name| name.starts_with(typed)).cloned().collect()
}

/// Is written by hand.
fn custom_schema() -> Value {
    json!({"type": "object", "properties": {"anything": {}}, "required": ["anything"], "additionalProperties": false})
}

/// Says everything that can be said of a tool that has an address.
#[tool(
    operation = Read,
    permission = "strict.read",
    access = may_read(text, state),
    requires = [is_met, has_some],
    tags = ["strict", "text"],
    path = "strict/{text}",
    timeout = "30s",
    cache = "2m",
    alias = "strict_old"
)]
#[inline]
pub async fn strict_addressed(
    #[inject] state: State<String>,
    #[arg(locator, complete = proposed, length(min = 1, max = MOST), pattern = "^[a-z]+$", header = "Strict")]
    text: String,
) -> String {
    ready(format!("{} {text}", *state)).await
}

/// Says everything else.
#[inline]
#[must_use]
#[tool(operation = Transform, blocking, access = may_wait, permission = any("a", "b"), timeout = "1s")]
pub fn strict_limited(
    #[arg(range(min = LEAST, max = 60 * 24), example = 3)] number: i64,
    #[arg(range(max = 0.5))] share: Option<f64>,
    #[arg(secret)] token: String,
    #[arg(flatten)] part: StrictPart,
) -> f64 {
    share.map_or_else(|| f64::from(part.part), |given| given + if token.is_empty() { 0.0 } else { 1.0 })
        + if number < 0 { 1.0 } else { 0.0 }
}

/// Has a schema of its own.
#[inline]
#[must_use]
#[tool(operation = Transform, schema = custom_schema(), access = may_wait())]
pub fn strict_custom_schema(anything: Value) -> String {
    anything.to_string()
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

/// A type with methods that are tools.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StrictShop {
    /// How many there are.
    pub number: i64,
}

/// One of them.
pub const SHOP: StrictShop = StrictShop { number: 2 };

#[tool]
impl StrictShop {
    /// A number that is never much.
    const FEW: i64 = 3;

    /// How many there are.
    #[inline]
    #[must_use]
    #[tool(operation = Read)]
    pub const fn strict_number(&self, #[arg(default = Self::FEW)] more: i64) -> i64 {
        self.number.wrapping_add(more)
    }

    /// Waits for them.
    ///
    /// # Errors
    ///
    /// When there are none.
    #[inline]
    #[tool(operation = Trigger, destructive = false)]
    pub async fn strict_wait(&self, #[inject] context: Context, text: String) -> Result<String, ToolError> {
        if self.number == 0 {
            return Err(ToolError::failed("there are none"));
        }
        let number = ready(self.number).await;
        Ok(format!("{} {number} {text}", context.tool()))
    }

    /// Is shared.
    #[inline]
    #[must_use]
    #[tool(operation = Read)]
    pub fn strict_shared(self: Arc<Self>) -> usize {
        Arc::strong_count(&self)
    }

    /// Makes one.
    #[tool(operation = Transform)]
    const fn strict_few(number: i64) -> i64 {
        number.wrapping_mul(Self::FEW)
    }
}

/// Asks for what is strict.
///
/// # Errors
///
/// When the text is empty.
#[inline]
#[prompt(title = "Strict")]
pub fn strict_prompt(text: String, #[arg(default = 1)] number: u32) -> Result<String, ToolError> {
    if text.is_empty() {
        return Err(ToolError::failed("the text is empty"));
    }
    Ok(format!("{text} {number}"))
}

/// Some of them.
pub const TOOLS: Declared = tools![
    strict_add,
    strict_private,
    inner::strict_inner,
    StrictShop::strict_number,
    StrictShop::strict_few
];

/// Modules have their own.
pub mod inner {
    use tool_core::tool;

    /// Is seen by this crate.
    #[tool(operation = Explain)]
    pub(crate) const fn strict_inner() -> bool {
        true
    }
}
