//! Words for what a feature that is off leaves out: a call of it does not compile, and the message names the feature.
//!
//! rustc says so by itself of a type that is left out, and not of a method or of what a macro writes.

#![allow(clippy::unused_self, clippy::missing_errors_doc, reason = "nothing here is ever called")]

use std::marker::PhantomData;

#[cfg(not(feature = "tokio"))]
use crate::declare::entry::{Call, EntryOutcome};
#[cfg(not(feature = "tokio"))]
use crate::declare::input::Inputs;
#[cfg(not(feature = "tokio"))]
use crate::declare::returns::Return;
#[cfg(not(feature = "tokio"))]
use crate::model::access::{Guard, Principal};

/// A feature that is off. Its lifetime keeps rustc from judging a bound before somebody makes the call.
#[derive(Debug)]
pub struct Off<'f>(PhantomData<&'f ()>);

/// Met by nothing.
#[cfg(not(feature = "inventory"))]
#[diagnostic::on_unimplemented(
    message = "this needs the feature `inventory` of `tool-core`",
    label = "left out without the feature `inventory`",
    note = "turn it on in `Cargo.toml`, `features = [\"inventory\"]`, or list the tools: `Registry::builder().tools(tools![…])`"
)]
pub trait Inventory {}

/// Met by nothing.
#[cfg(not(feature = "tokio"))]
#[diagnostic::on_unimplemented(
    message = "this needs the feature `tokio` of `tool-core`",
    label = "left out without the feature `tokio`",
    note = "turn it on in `Cargo.toml`, `features = [\"tokio\"]`: tools that are `blocking`, time limits and tasks need it"
)]
pub trait Tokio {}

/// Met by nothing.
#[cfg(all(feature = "tokio", not(feature = "results")))]
#[diagnostic::on_unimplemented(
    message = "this needs the feature `results` of `tool-core`",
    label = "left out without the feature `results`",
    note = "turn it on in `Cargo.toml`, `features = [\"results\"]`, or bring a storage of your own: `ResultStore::shared`"
)]
pub trait Results {}

/// What stands in the place of the body.
fn never<T>() -> T {
    unreachable!("no call of it compiles")
}

#[cfg(not(feature = "inventory"))]
impl crate::Registry {
    /// Needs the feature `inventory`.
    pub fn collect() -> Result<Self, crate::BuildErrors>
    where
        for<'f> Off<'f>: Inventory,
    {
        never()
    }
}

#[cfg(not(feature = "inventory"))]
impl crate::RegistryBuilder {
    /// Needs the feature `inventory`.
    pub fn linked(self) -> Self
    where
        for<'f> Off<'f>: Inventory,
    {
        never()
    }
}

#[cfg(not(feature = "tokio"))]
impl crate::RegistryBuilder {
    /// Needs the feature `tokio`.
    pub fn timeout(self, _: std::time::Duration) -> Self
    where
        for<'f> Off<'f>: Tokio,
    {
        never()
    }

    /// Needs the feature `tokio`.
    pub fn blocking_threads(self, _: usize) -> Self
    where
        for<'f> Off<'f>: Tokio,
    {
        never()
    }

    /// Needs the feature `tokio`.
    pub fn lazy_state<F>(self, _: impl Fn() -> F) -> Self
    where
        for<'f> Off<'f>: Tokio,
    {
        never()
    }
}

#[cfg(not(feature = "tokio"))]
impl crate::Context {
    /// Needs the feature `tokio`.
    pub fn is_cancelled(&self) -> bool
    where
        for<'f> Off<'f>: Tokio,
    {
        never()
    }

    /// Needs the feature `tokio`.
    pub async fn cancelled(&self)
    where
        for<'f> Off<'f>: Tokio,
    {
        never::<()>();
    }

    /// Needs the feature `tokio`.
    pub fn spawn(&self, _: impl Future<Output = ()> + Send + 'static)
    where
        for<'f> Off<'f>: Tokio,
    {
        never::<()>();
    }
}

#[cfg(all(feature = "tokio", not(feature = "results")))]
impl crate::results::ResultStore {
    /// Needs the feature `results`.
    pub fn local(_: impl AsRef<std::path::Path>) -> std::io::Result<Self>
    where
        for<'f> Off<'f>: Results,
    {
        never()
    }

    /// Needs the feature `results`.
    pub fn memory() -> Self
    where
        for<'f> Off<'f>: Results,
    {
        never()
    }
}

/// Needs the feature `tokio`.
#[cfg(not(feature = "tokio"))]
pub fn run_blocking<I: Inputs, T, R: Return<T>>(
    _: &mut Call<'_>,
    _: &'static I,
    _: fn(I::Values) -> T,
    _: R,
) -> EntryOutcome
where
    for<'f> Off<'f>: Tokio,
{
    never()
}

/// Needs the feature `tokio`.
#[cfg(not(feature = "tokio"))]
pub fn run_blocking_injected<I: Inputs, T, R: Return<T>>(
    _: &mut Call<'_>,
    _: &'static I,
    _: fn(I::Values) -> T,
    _: R,
) -> EntryOutcome
where
    for<'f> Off<'f>: Tokio,
{
    never()
}

/// Needs the feature `tokio`.
#[cfg(not(feature = "tokio"))]
pub fn run_blocking_guarded<I: Inputs, T, R: Return<T>>(
    _: &mut Call<'_>,
    _: &'static I,
    _: fn(I::Values) -> T,
    _: for<'a> fn(&'a Principal, &'a I::Shown) -> Guard<'a>,
    _: R,
) -> EntryOutcome
where
    for<'f> Off<'f>: Tokio,
{
    never()
}
