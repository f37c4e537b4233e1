//! The steps into a function: reading the inputs, asking the access function and injecting the rest, at once or waiting.

use super::{Call, EntryOutcome};
use crate::context::Context;
use crate::declare::inject::InjectionSource;
use crate::declare::inject::mode::{AsyncMode, Mode, SyncMode};
use crate::declare::input::{AsyncInputs, Inputs, SyncInputs};
use crate::declare::returns::Returned;
use crate::model::access::{Access, Guard, Principal};
use crate::model::failure::{Failure, FailureKind};
use crate::model::future::BoxFuture;

/// The access function: it takes the caller and the values it asks for.
pub(super) type AccessFn<V> = for<'a> fn(&'a Principal, &'a V) -> Guard<'a>;

/// How the parameters of a tool are injected, and its function is entered with them.
pub trait Enter<I: Inputs>: Mode {
    /// Reads and injects all parameters of a tool without an access function.
    fn enter(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome;

    /// Reads all inputs. Injects the parameters of the access function, and the others once it has allowed the call.
    fn enter_guarded(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        access: AccessFn<I::Shown>,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome
    where
        I::Shown: Send;
}

impl<I: SyncInputs> Enter<I> for SyncMode {
    #[inline]
    fn enter(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        match prepare(call, inputs, returned) {
            Ok(values) => function(values),
            Err(step) => step,
        }
    }

    fn enter_guarded(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        access: AccessFn<I::Shown>,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome
    where
        I::Shown: Send,
    {
        match show(call, inputs, returned) {
            Ok(shown) => preparing(move |source| {
                Box::pin(async move {
                    let shown = authorize(source, shown, access).await?;
                    let values = inputs.inject(shown, source)?;
                    Ok(entered(source, values, function))
                })
            }),
            Err(step) => step,
        }
    }
}

impl<I: AsyncInputs> Enter<I> for AsyncMode {
    fn enter(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        match read(call, inputs, returned) {
            Ok(read) => preparing(move |source| {
                Box::pin(async move {
                    let shown = inputs.show(read, source).await?;
                    let values = inputs.inject(shown, source).await?;
                    Ok(entered(source, values, function))
                })
            }),
            Err(step) => step,
        }
    }

    fn enter_guarded(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        access: AccessFn<I::Shown>,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        match read(call, inputs, returned) {
            Ok(read) => preparing(move |source| {
                Box::pin(async move {
                    let shown = inputs.show(read, source).await?;
                    let shown = authorize(source, shown, access).await?;
                    let values = inputs.inject(shown, source).await?;
                    Ok(entered(source, values, function))
                })
            }),
            Err(step) => step,
        }
    }
}

/// What a call waits for before its function: the access function, and parameters that are awaited. Its result enters
/// the function.
///
/// It takes the source when it starts, because the source belongs to the call.
pub(crate) type Preparation =
    Box<dyn for<'c> FnOnce(InjectionSource<'c>) -> BoxFuture<'c, Result<EntryOutcome, Failure>> + Send>;

/// Boxes a preparation. The bound tells the compiler the type of the closure.
fn preparing(
    preparation: impl for<'c> FnOnce(InjectionSource<'c>) -> BoxFuture<'c, Result<EntryOutcome, Failure>>
    + Send
    + 'static,
) -> EntryOutcome {
    EntryOutcome::Preparing(Box::new(preparation))
}

fn failed(failure: Failure) -> EntryOutcome {
    EntryOutcome::Done(Err(failure))
}

/// Reads and injects all values of a tool without an access function.
///
/// This and [`show`] depend only on the types of the inputs, so that tools with the same types share them.
pub(super) fn prepare<I: SyncInputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
) -> Result<I::Values, EntryOutcome> {
    let shown = show(call, inputs, returned)?;
    match call {
        Call::Run(reader) => inputs.inject(shown, reader.source()).map_err(failed),
        // Unreachable: `show` has returned early.
        Call::Metadata(_) | Call::Describe(_) | Call::Validate(_) => Err(EntryOutcome::Invalid),
    }
}

/// Reads the inputs, and injects the parameters of the access function.
fn show<I: SyncInputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
) -> Result<I::Shown, EntryOutcome> {
    let read = read(call, inputs, returned)?;
    match call {
        Call::Run(reader) => inputs.show(read, reader.source()).map_err(failed),
        // Unreachable: `read` has returned early.
        Call::Metadata(_) | Call::Describe(_) | Call::Validate(_) => Err(EntryOutcome::Invalid),
    }
}

/// Enters the function. One that has returned when this does cannot wait for an answer, so it may not ask; any other is opened again
/// when it runs.
fn entered<V>(
    source: InjectionSource<'_>,
    values: V,
    function: impl FnOnce(V) -> EntryOutcome,
) -> EntryOutcome {
    if let Some(context) = source.context.existing() {
        context.elicitation().close();
    }
    function(values)
}

/// Returns the values if access is allowed.
async fn authorize<V>(source: InjectionSource<'_>, values: V, access: AccessFn<V>) -> Result<V, Failure> {
    let elicitation = source.context.existing().map(Context::elicitation);
    // Whoever may not make the call is not asked anything.
    if let Some(elicitation) = elicitation {
        elicitation.close();
    }
    let decision = match access(source.context.principal(), &values) {
        Guard::Decided(decision) => decision,
        Guard::Deciding(decision) => decision.await,
    };
    if let Some(elicitation) = elicitation {
        elicitation.open();
    }
    match decision {
        Access::Allow => Ok(values),
        Access::Deny(reason) => Err(Failure::new(FailureKind::Denied, reason)),
    }
}

/// Reads the inputs of a call that runs, or returns what else was asked for.
fn read<I: Inputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
) -> Result<I::Read, EntryOutcome> {
    match call {
        Call::Metadata(_) => Err(EntryOutcome::Described(returned)),
        Call::Describe(visitor) => {
            inputs.describe(visitor);
            Err(EntryOutcome::Described(returned))
        }
        Call::Validate(reader) => {
            drop(inputs.read(reader));
            Err(if reader.is_clean() { EntryOutcome::Valid } else { EntryOutcome::Invalid })
        }
        Call::Run(reader) => {
            // Not `ok_or`, which would drop an outcome in every call.
            let Some(read) = inputs.read(reader) else { return Err(EntryOutcome::Invalid) };
            Ok(read)
        }
    }
}
