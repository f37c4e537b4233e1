//! The entry into a tool with `access = …`: a function that decides based on the caller and the inputs.
//!
//! Each `run` function has a guarded variant. The decision may be asynchronous, so it is a separate step. Until it is
//! made, the function has not run, and only the parameters of the access function are injected. The tool's function
//! comes first in the argument list: it determines the types of the inputs, so that the access function may take a
//! `String` as `&str`.

use super::enter::AccessFn;
use super::{Call, Enter, EntryOutcome, FinishOutput};
use crate::declare::input::Inputs;
use crate::declare::returns::Return;

/// Enters an `async fn`.
pub fn run_guarded<I: Inputs, F, R: Return<F::Output>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
    access: AccessFn<I::Shown>,
    returns: R,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
    I::Shown: Send,
    F: Future + Send + 'static,
{
    I::Mode::enter_guarded(call, inputs, returns.returned(), access, move |values| {
        EntryOutcome::Running(Box::pin(FinishOutput { future: function(values), returns }))
    })
}

/// Enters a `fn`.
pub fn run_sync_guarded<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    access: AccessFn<I::Shown>,
    returns: R,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
    I::Shown: Send,
{
    I::Mode::enter_guarded(call, inputs, returns.returned(), access, move |values| {
        EntryOutcome::Done(returns.finish(function(values)))
    })
}

/// Enters a blocking `fn`; the decision is made before it moves to its thread.
#[cfg(feature = "tokio")]
pub fn run_blocking_guarded<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    access: AccessFn<I::Shown>,
    returns: R,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
    I::Shown: Send,
    I::Values: Send,
{
    I::Mode::enter_guarded(call, inputs, returns.returned(), access, move |values| {
        EntryOutcome::Blocking(Box::new(move || returns.finish(function(values))))
    })
}
