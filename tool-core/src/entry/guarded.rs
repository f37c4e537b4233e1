//! The door into a tool with `access = …`: a function sees the caller and the inputs, and decides.
//!
//! Each way to run a function has its guarded twin. The decision may take its time, so that it is a step of its own: as
//! long as it is not made, nothing of the function has run. The function stands first: it says the types of the inputs,
//! and what decides may see a `String` as `&str`.

use super::{Call, Finishing, Step, prepare};
use crate::access::{Access, Guard, Principal};
use crate::failure::{Failure, FailureKind};
use crate::input::Inputs;
use crate::returns::Return;

/// What decides: it sees who calls, and what the function would be called with.
type Guarding<V> = for<'a> fn(&'a Principal, &'a V) -> Guard<'a>;

/// Enters an `async fn`.
pub fn run_guarded<I: Inputs, F, R: Return<F::Output>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
    access: Guarding<I::Values>,
    returns: R,
) -> Step
where
    I::Values: Send,
    F: Future + Send + 'static,
{
    match prepare(call, inputs, returns.returned()) {
        Ok(values) => {
            let admitted = admitted(principal(call), values, access);
            Step::Deciding(Box::pin(async move {
                let future = function(admitted.await?);
                Ok(Step::Running(Box::pin(Finishing { future, returns })))
            }))
        }
        Err(step) => step,
    }
}

/// Enters a `fn`.
pub fn run_sync_guarded<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    access: Guarding<I::Values>,
    returns: R,
) -> Step
where
    I::Values: Send,
{
    match prepare(call, inputs, returns.returned()) {
        Ok(values) => {
            let admitted = admitted(principal(call), values, access);
            Step::Deciding(Box::pin(async move {
                let values = admitted.await?;
                Ok(Step::Done(returns.finish(function(values))))
            }))
        }
        Err(step) => step,
    }
}

/// Enters a `fn` that blocks; the decision is made before it goes to a thread of its own.
#[cfg(feature = "tokio")]
pub fn run_blocking_guarded<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    access: Guarding<I::Values>,
    returns: R,
) -> Step
where
    I::Values: Send,
{
    match prepare(call, inputs, returns.returned()) {
        Ok(values) => {
            let admitted = admitted(principal(call), values, access);
            Step::Deciding(Box::pin(async move {
                let values = admitted.await?;
                Ok(Step::Blocking(Box::new(move || returns.finish(function(values)))))
            }))
        }
        Err(step) => step,
    }
}

/// Who calls.
fn principal(call: &Call<'_>) -> Principal {
    match call {
        Call::Run(reader) => reader.principal().clone(),
        // Nothing is run, and nobody is asked.
        Call::Describe(_) | Call::Validate(_) => Principal::anonymous(),
    }
}

/// The values again, when the call may go on with them.
async fn admitted<V>(principal: Principal, values: V, access: Guarding<V>) -> Result<V, Failure> {
    let decision = match access(&principal, &values) {
        Guard::Decided(decision) => decision,
        Guard::Deciding(decision) => decision.await,
    };
    match decision {
        Access::Allow => Ok(values),
        Access::Deny(reason) => Err(Failure::new(FailureKind::Denied, reason)),
    }
}
