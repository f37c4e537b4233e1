//! The entry into a declared tool: the generic code between a declaration and its function.
//!
//! A declaration holds one function, its [`Entry`], which only calls [`run`], [`run_sync`] or [`run_blocking`], or one of
//! their variants: [`injected`] for injected parameters, which may be awaited, and [`guarded`] for an access function.
//! This module is instantiated for every tool, so it is short.

mod enter;
mod guarded;
mod injected;

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use pin_project_lite::pin_project;

use crate::declare::input::{SyncInputs, Visitor};
use crate::declare::reader::{ArgumentReader, UnreadInput};
use crate::declare::returns::{Return, Returned};
use crate::declare::source::Metadata;
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;
use crate::model::output::Output;

pub use enter::Enter;
pub(crate) use enter::Preparation;
#[cfg(feature = "tokio")]
pub use guarded::run_blocking_guarded;
pub use guarded::{run_guarded, run_sync_guarded};
#[cfg(feature = "tokio")]
pub use injected::run_blocking_injected;
pub use injected::{run_injected, run_sync_injected};

/// The entry function of a declaration.
pub type Entry = fn(&mut Call<'_>) -> EntryOutcome;

/// The purpose of entering a declaration.
#[derive(Debug)]
pub enum Call<'c> {
    /// Return the description and the source location.
    Metadata(&'c mut Metadata),
    /// Describe the inputs, the needs and the output.
    Describe(Visitor<'c>),
    /// Read the arguments without running the function.
    Validate(ArgumentReader<'c>),
    /// Read the arguments and run the function.
    Run(ArgumentReader<'c>),
}

impl<'c> Call<'c> {
    /// Fills in the description and the source location, if they are asked for.
    #[inline]
    #[must_use]
    pub fn of(
        &mut self,
        description: &'static str,
        (module, file, line): (&'static str, &'static str, u32),
    ) -> &mut Self {
        if let Call::Metadata(metadata) = self {
            // A text from `include_str!` ends with a line break.
            **metadata = Metadata { description: description.trim_ascii(), module, file, line };
        }
        self
    }

    /// Returns the errors in the arguments.
    pub(crate) fn into_errors(self) -> Vec<UnreadInput<'c>> {
        match self {
            Call::Metadata(_) | Call::Describe(_) => Vec::new(),
            Call::Validate(reader) | Call::Run(reader) => reader.into_errors(),
        }
    }
}

/// The outcome of entering a declaration.
pub enum EntryOutcome {
    /// Described; the function returns this.
    Described(Returned),
    /// Every argument was read, and the function was not run.
    Valid,
    /// An argument could not be read; see the errors of the reader.
    Invalid,
    /// The function has returned.
    Done(Result<Output, Failure>),
    /// The function runs.
    Running(Running),
    /// The access function is asked, and parameters are awaited; the result enters the function.
    Preparing(Preparation),
    /// The function is ready to run on a blocking thread.
    #[cfg(feature = "tokio")]
    Blocking(Blocking),
}

/// A running function.
pub type Running = BoxFuture<'static, Result<Output, Failure>>;

/// A blocking function with its values.
#[cfg(feature = "tokio")]
pub(crate) type Blocking = Box<dyn FnOnce() -> Result<Output, Failure> + Send>;

/// Enters an `async fn` without injected parameters.
pub fn run<I: SyncInputs, F, R: Return<F::Output>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
    returns: R,
) -> EntryOutcome
where
    F: Future + Send + 'static,
{
    match enter::prepare(call, inputs, returns.returned()) {
        Ok(values) => EntryOutcome::Running(Box::pin(FinishOutput { future: function(values), returns })),
        Err(step) => step,
    }
}

/// Enters a `fn` without injected parameters.
#[expect(clippy::needless_pass_by_value, reason = "the three ways to enter a function are called alike")]
pub fn run_sync<I: SyncInputs, T, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    returns: R,
) -> EntryOutcome {
    match enter::prepare(call, inputs, returns.returned()) {
        Ok(values) => EntryOutcome::Done(returns.finish(function(values))),
        Err(step) => step,
    }
}

/// Enters a blocking `fn` without injected parameters, which runs on a separate thread.
#[cfg(feature = "tokio")]
pub fn run_blocking<I: SyncInputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    returns: R,
) -> EntryOutcome
where
    I::Values: Send,
{
    match enter::prepare(call, inputs, returns.returned()) {
        Ok(values) => EntryOutcome::Blocking(Box::new(move || returns.finish(function(values)))),
        Err(step) => step,
    }
}

pin_project! {
    /// The future of the function, with its output converted.
    struct FinishOutput<F, R> {
        #[pin]
        future: F,
        returns: R,
    }
}

impl<F: Future, R: Return<F::Output>> Future for FinishOutput<F, R> {
    type Output = Result<Output, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.future.poll(cx).map(|returned| this.returns.finish(returned))
    }
}
