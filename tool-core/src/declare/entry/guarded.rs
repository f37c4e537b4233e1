//! The entry into a tool with `access = …`: a function that decides based on the caller and the inputs.
//!
//! Each `run` function has a guarded variant. The decision may be asynchronous, so it is a separate step. Until it is
//! made, the function has not run, and only the parameters of the access function are injected. The tool's function
//! comes first in the argument list: it determines the types of the inputs, so that the access function may take a
//! `String` as `&str`.

use super::enter::read;
use super::{AuthorizedCall, Call, Enter, EntryOutcome, FinishOutput};
use crate::declare::input::Inputs;
use crate::declare::returns::{Return, Returned};
use crate::model::access::{Access, Guard, Principal};
use crate::model::failure::{Failure, FailureKind};

/// The access function: it takes the caller and the values it asks for.
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
    I::Mode: Enter<I>,
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
    I::Mode: Enter<I>,
    I::Shown: Send,
{
    guarded(call, inputs, returns.returned(), access, move |values| {
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
    guarded(call, inputs, returns.returned(), access, move |values| {
        EntryOutcome::Blocking(Box::new(move || returns.finish(function(values))))
    })
}

/// Reads the inputs, and enters the function if access is allowed.
fn guarded<I: Inputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
    access: AccessFn<I::Shown>,
    enter: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
) -> EntryOutcome
where
    I::Mode: Enter<I>,
    I::Shown: Send,
{
    let (read, source) = match read(call, inputs, returned) {
        Ok(read) => read,
        Err(step) => return step,
    };
    let principal = principal(call);
    I::Mode::show(inputs, read, source, move |shown| {
        EntryOutcome::Authorizing(Box::pin(async move {
            let shown = authorize(principal, shown, access).await?;
            let cleared: AuthorizedCall =
                Box::new(move |source| I::Mode::inject(inputs, shown, source, enter));
            Ok(cleared)
        }))
    })
}

/// Returns the caller.
fn principal(call: &Call<'_>) -> Principal {
    match call {
        Call::Run(reader) => reader.principal().clone(),
        // The access function is not called.
        Call::Metadata(_) | Call::Describe(_) | Call::Validate(_) => Principal::anonymous(),
    }
}

/// Returns the values if access is allowed.
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
