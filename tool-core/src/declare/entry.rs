//! The door into one declared tool: the generic code between a declaration and the function behind it.
//!
//! A declaration holds one function, its [`Entry`], and the macro writes nothing into it but a call of [`run`],
//! [`run_sync`] or [`run_blocking`]. Everything here is instantiated for each tool, so everything here is short.

mod guarded;

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use pin_project_lite::pin_project;

use crate::declare::declaration::Metadata;
use crate::declare::inject::InjectionSource;
use crate::declare::input::{Inputs, Visitor};
use crate::declare::reader::{ArgumentReader, ReadErrors};
use crate::declare::returns::{Return, Returned};
use crate::model::failure::Failure;
use crate::model::future::BoxFuture;
use crate::model::output::Output;

#[cfg(feature = "tokio")]
pub use guarded::run_blocking_guarded;
pub use guarded::{run_guarded, run_sync_guarded};

/// What a declaration is entered by.
pub type Entry = fn(&mut Call<'_>) -> EntryOutcome;

/// What is wanted of a tool.
#[derive(Debug)]
pub enum Call<'c> {
    /// Tell the text, and where it stands.
    Metadata(&'c mut Metadata),
    /// Tell the inputs, the needs and the output.
    Describe(Visitor<'c>),
    /// Read the arguments and run nothing.
    Validate(ArgumentReader<'c>),
    /// Read the arguments and run the function.
    Run(ArgumentReader<'c>),
}

impl<'c> Call<'c> {
    /// The same, of the tool that says this of itself.
    #[inline]
    #[must_use]
    pub fn of(
        &mut self,
        description: &'static str,
        (module, file, line): (&'static str, &'static str, u32),
    ) -> &mut Self {
        if let Call::Metadata(metadata) = self {
            // A text from a file ends with a line break.
            **metadata = Metadata { description: description.trim_ascii(), module, file, line };
        }
        self
    }

    /// What was wrong with the arguments.
    pub(crate) fn into_errors(self) -> ReadErrors<'c> {
        match self {
            Call::Metadata(_) | Call::Describe(_) => ReadErrors::default(),
            Call::Validate(reader) | Call::Run(reader) => reader.into_errors(),
        }
    }
}

/// What came of it.
pub enum EntryOutcome {
    /// Told or described: this is what the function returns.
    Described(Returned),
    /// Every argument was read, and nothing was run.
    Valid,
    /// An argument could not be read; the reader knows which.
    Invalid,
    /// The function has returned.
    Done(Result<Output, Failure>),
    /// The function runs.
    Running(Running),
    /// A function decides whether the caller may go on, and then with what.
    Authorizing(Pending<AuthorizedCall>),
    /// The function is ready to be called, on a thread that it may block.
    #[cfg(feature = "tokio")]
    Blocking(Blocking),
}

/// A function on its way.
pub type Running = Pending<Output>;

/// What a call that was allowed goes on with: it takes the rest of its parameters and enters the function.
pub(crate) type AuthorizedCall = Box<dyn FnOnce(InjectionSource<'_>) -> EntryOutcome + Send>;

/// Code of the application on its way to a result.
pub(crate) type Pending<T> = BoxFuture<'static, Result<T, Failure>>;

/// A function that blocks, with its values.
#[cfg(feature = "tokio")]
pub(crate) type Blocking = Box<dyn FnOnce() -> Result<Output, Failure> + Send>;

/// Enters an `async fn`.
pub fn run<I: Inputs, F, R: Return<F::Output>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
    returns: R,
) -> EntryOutcome
where
    F: Future + Send + 'static,
{
    match prepare(call, inputs, returns.returned()) {
        Ok(values) => EntryOutcome::Running(Box::pin(FinishOutput { future: function(values), returns })),
        Err(step) => step,
    }
}

/// Enters a `fn`.
#[expect(clippy::needless_pass_by_value, reason = "the three ways to enter a function are called alike")]
pub fn run_sync<I: Inputs, T, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    returns: R,
) -> EntryOutcome {
    match prepare(call, inputs, returns.returned()) {
        Ok(values) => EntryOutcome::Done(returns.finish(function(values))),
        Err(step) => step,
    }
}

/// Enters a `fn` that blocks: it runs off the threads that drive other calls.
#[cfg(feature = "tokio")]
pub fn run_blocking<I: Inputs, T: 'static, R: Return<T>>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> T,
    returns: R,
) -> EntryOutcome
where
    I::Values: Send,
{
    match prepare(call, inputs, returns.returned()) {
        Ok(values) => EntryOutcome::Blocking(Box::new(move || returns.finish(function(values)))),
        Err(step) => step,
    }
}

/// All values at once, where nobody decides about access.
fn prepare<I: Inputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
) -> Result<I::Values, EntryOutcome> {
    let shown = read(call, inputs, returned)?;
    match call {
        Call::Run(reader) => {
            inputs.inject(shown, reader.source()).map_err(|failure| EntryOutcome::Done(Err(failure)))
        }
        // Nothing is read that could be shown.
        Call::Metadata(_) | Call::Describe(_) | Call::Validate(_) => Err(EntryOutcome::Invalid),
    }
}

/// The part that depends on the types of the inputs alone, and so is shared by all tools with the same ones.
fn read<I: Inputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    returned: Returned,
) -> Result<I::Shown, EntryOutcome> {
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
            inputs.show(read, reader.source()).map_err(|failure| EntryOutcome::Done(Err(failure)))
        }
    }
}

pin_project! {
    /// The future of the user's function, with its output made ready.
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
