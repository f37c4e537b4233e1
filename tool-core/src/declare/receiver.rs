//! The `self` of a method that is a tool: the state of that type, shared by all calls.

use std::sync::Arc;

use crate::declare::inject::Inject;
use crate::declare::input::{Injected, Shown, injected, shown};
use crate::declare::state::State;

/// The state whose method is called.
pub const fn receiver<T: Send + Sync + 'static, Op: Copy + 'static>(operation: Op) -> Injected<State<T>, Op>
where
    State<T>: Inject<Op>,
{
    injected(operation)
}

/// The same, where the access function is shown it.
pub const fn shown_receiver<T: Send + Sync + 'static, Op: Copy + 'static>(
    operation: Op,
) -> Shown<State<T>, Op>
where
    State<T>: Inject<Op>,
{
    shown(operation)
}

/// What a method may take as `self`, beside a reference.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take `self: {Self}`",
    label = "state is shared by all calls",
    note = "take `&self`, or `self: Arc<Self>`"
)]
pub trait Received<T> {
    /// Takes it out of the state.
    fn received(state: State<T>) -> Self;
}

impl<T> Received<T> for Arc<T> {
    fn received(state: State<T>) -> Self {
        state.into()
    }
}

/// What the expansion of a method calls that takes `self: Arc<Self>`.
pub fn received<T, R: Received<T>>(state: State<T>) -> R {
    R::received(state)
}
