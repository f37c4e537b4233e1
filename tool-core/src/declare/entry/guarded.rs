//! The door into a tool with `access = …`: a function sees the caller and the inputs, and decides.
//!
//! Each way to run a function has its guarded twin. The decision may take its time, so that it is a step of its own: as
//! long as it is not made, nothing of the function has run, and nothing was injected but what the decision is shown. The
//! function stands first: it says the types of the inputs, and what decides may see a `String` as `&str`.

use super::{AuthorizedCall, Call, EntryOutcome, FinishOutput, read};
use crate::declare::input::Inputs;
use crate::declare::returns::{Return, Returned};
use crate::model::access::{Access, Guard, Principal};
use crate::model::failure::{Failure, FailureKind};

/// What decides: it sees who calls, the inputs, and what it asked for of the rest.
type AccessFn<V> = for<'a> fn(&'a Principal, &'a V) -> Guard<'a>;

/// Enters an `async fn`.
pub fn run_guarded<I: Inputs, F, R: Return<F::Output>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
    access: AccessFn<I::Shown>,
    returns: R,
) -> EntryOutcome
where
    I::Shown: Send,
    F: Future + Send + 'static,
{
    guarded(call, inputs, returns.returned(), access, move |values| {
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
    I::Shown: Send,
{
    guarded(call, inputs, returns.returned(), access, move |values| {
        EntryOutcome::Done(returns.finish(function(values)))
    })
}

/// Enters a `fn` that blocks; the decision is made before it goes to a thread of its own.
#[cfg(feature = "tokio")]
pub fn run_blocking_guarded<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    access: AccessFn<I::Shown>,
    returns: R,
) -> EntryOutcome
where
    I::Shown: Send,
    I::Values: Send,
{
    guarded(call, inputs, returns.returned(), access, move |values| {
        EntryOutcome::Blocking(Box::new(move || returns.finish(function(values))))
    })
}

/// Reads the inputs, and enters the function with them when the decision allows it.
fn guarded<I: Inputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
    access: AccessFn<I::Shown>,
    enter: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
) -> EntryOutcome
where
    I::Shown: Send,
{
    let shown = match read(call, inputs, returned) {
        Ok(shown) => shown,
        Err(step) => return step,
    };
    let principal = principal(call);
    EntryOutcome::Authorizing(Box::pin(async move {
        let shown = authorize(principal, shown, access).await?;
        let cleared: AuthorizedCall = Box::new(move |source| match inputs.inject(shown, source) {
            Ok(values) => enter(values),
            Err(failure) => EntryOutcome::Done(Err(failure)),
        });
        Ok(cleared)
    }))
}

/// Who calls.
fn principal(call: &Call<'_>) -> Principal {
    match call {
        Call::Run(reader) => reader.principal().clone(),
        // Nothing is run, and nobody is asked.
        Call::Metadata(_) | Call::Describe(_) | Call::Validate(_) => Principal::anonymous(),
    }
}

/// The values again, when the call may go on with them.
async fn authorize<V>(principal: Principal, values: V, access: AccessFn<V>) -> Result<V, Failure> {
    let decision = match access(&principal, &values) {
        Guard::Decided(decision) => decision,
        Guard::Deciding(decision) => decision.await,
    };
    match decision {
        Access::Allow => Ok(values),
        Access::Deny(reason) => Err(Failure::new(FailureKind::Denied, reason)),
    }
}
