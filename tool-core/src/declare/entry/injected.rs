//! The entry into a tool with injected parameters, which may be awaited.
//!
//! A tool without any is entered by [`super::run`] and the like, which compile faster.

use super::{Call, Enter, EntryOutcome, FinishOutput};
use crate::declare::input::Inputs;
use crate::declare::returns::Return;

/// Enters an `async fn`.
pub fn run_injected<I: Inputs, F, R: Return<F::Output>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
    returns: R,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
    F: Future + Send + 'static,
{
    I::Mode::enter(call, inputs, returns.returned(), move |values| {
        EntryOutcome::Running(Box::pin(FinishOutput { future: function(values), returns }))
    })
}

/// Enters a `fn`.
pub fn run_sync_injected<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    returns: R,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
{
    I::Mode::enter(call, inputs, returns.returned(), move |values| {
        EntryOutcome::Done(returns.finish(function(values)))
    })
}

/// Enters a blocking `fn`, which runs on a separate thread once its parameters are injected.
#[cfg(feature = "tokio")]
pub fn run_blocking_injected<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    returns: R,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
    I::Values: Send,
{
    I::Mode::enter(call, inputs, returns.returned(), move |values| {
        EntryOutcome::Blocking(Box::new(move || returns.finish(function(values))))
    })
}
