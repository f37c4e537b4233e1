//! The steps into a function: reading the inputs and injecting the rest, at once or waiting.

use super::{Call, EntryOutcome};
use crate::declare::inject::InjectionSource;
use crate::declare::inject::mode::{AsyncMode, Mode, SyncMode};
use crate::declare::input::{AsyncInputs, Inputs, SyncInputs};
use crate::declare::returns::Returned;
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;

/// How the parameters of a tool are injected, and its function is entered with them.
pub trait Enter<I: Inputs>: Mode {
    /// Reads and injects all parameters of a tool without an access function.
    fn enter(
        call: &mut Call<'_>,
        inputs: &'static I,
        returned: Returned,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome;

    /// Injects the parameters of the access function.
    fn show(
        inputs: &'static I,
        read: I::Read,
        source: InjectionSource<'_>,
        next: impl FnOnce(I::Shown) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome;

    /// Injects the parameters that the access function does not take.
    fn inject(
        inputs: &'static I,
        shown: I::Shown,
        source: InjectionSource<'_>,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome;
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

    fn show(
        inputs: &'static I,
        read: I::Read,
        source: InjectionSource<'_>,
        next: impl FnOnce(I::Shown) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        inputs.show(read, source).map_or_else(failed, next)
    }

    fn inject(
        inputs: &'static I,
        shown: I::Shown,
        source: InjectionSource<'_>,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        inputs.inject(shown, source).map_or_else(failed, function)
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
            Ok((read, _)) => injecting(move |source| {
                Box::pin(async move {
                    let shown = inputs.show(read, source).await?;
                    inputs.inject(shown, source).await.map(function)
                })
            }),
            Err(step) => step,
        }
    }

    fn show(
        inputs: &'static I,
        read: I::Read,
        _: InjectionSource<'_>,
        next: impl FnOnce(I::Shown) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        injecting(move |source| Box::pin(async move { inputs.show(read, source).await.map(next) }))
    }

    fn inject(
        inputs: &'static I,
        shown: I::Shown,
        _: InjectionSource<'_>,
        function: impl FnOnce(I::Values) -> EntryOutcome + Send + 'static,
    ) -> EntryOutcome {
        injecting(move |source| Box::pin(async move { inputs.inject(shown, source).await.map(function) }))
    }
}

/// An injection that waits; its result enters the function.
///
/// It takes the source when it starts, because the source belongs to the call.
pub(crate) type PendingInjection =
    Box<dyn for<'c> FnOnce(InjectionSource<'c>) -> BoxFuture<'c, Result<EntryOutcome, Failure>> + Send>;

/// Boxes an injection that waits. The bound tells the compiler the type of the closure.
fn injecting(
    injection: impl for<'c> FnOnce(InjectionSource<'c>) -> BoxFuture<'c, Result<EntryOutcome, Failure>>
    + Send
    + 'static,
) -> EntryOutcome {
    EntryOutcome::Injecting(Box::new(injection))
}

fn failed(failure: Failure) -> EntryOutcome {
    EntryOutcome::Done(Err(failure))
}

/// Reads and injects all values of a tool without an access function.
///
/// It depends only on the types of the inputs, so that tools with the same types share it.
pub(super) fn prepare<I: SyncInputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
) -> Result<I::Values, EntryOutcome> {
    let (read, source) = read(call, inputs, returned)?;
    let shown = inputs.show(read, source).map_err(failed)?;
    inputs.inject(shown, source).map_err(failed)
}

/// Reads the inputs of a call that runs, or returns what else was asked for.
pub(super) fn read<'c, I: Inputs>(
    call: &mut Call<'c>,
    inputs: &'static I,
    returned: Returned,
) -> Result<(I::Read, InjectionSource<'c>), EntryOutcome> {
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
            let read = inputs.read(reader).ok_or(EntryOutcome::Invalid)?;
            Ok((read, reader.source()))
        }
    }
}
