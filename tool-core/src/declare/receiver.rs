//! The `self` of a method that is a tool: state shared by all calls.

use std::sync::Arc;

use crate::declare::inject::Inject;
use crate::declare::injected::{Injected, Shown, SyncParameter, ToolParameter};
use crate::declare::state::State;

/// Declares the state whose method is called.
pub const fn receiver<T: Send + Sync + 'static, Op: Copy + 'static>(_: Op) -> Injected<State<T>>
where
    State<T>: Inject<Op>,
{
    SyncParameter::<State<T>, Op>::INJECTED
}

/// Declares the state whose method is called, if the access function takes it.
pub const fn shown_receiver<T: Send + Sync + 'static, Op: Copy + 'static>(_: Op) -> Shown<State<T>>
where
    State<T>: Inject<Op>,
{
    SyncParameter::<State<T>, Op>::SHOWN
}

/// A type for `self`, besides a reference.
#[diagnostic::on_unimplemented(
    message = "a tool cannot take `self: {Self}`",
    label = "state is shared by all calls",
    note = "take `&self`, or `self: Arc<Self>`"
)]
pub trait Received<T> {
    /// Converts the state.
    fn received(state: State<T>) -> Self;
}

impl<T> Received<T> for Arc<T> {
    fn received(state: State<T>) -> Self {
        state.into()
    }
}

/// Converts the state for a method that takes `self: Arc<Self>`.
pub fn received<T, R: Received<T>>(state: State<T>) -> R {
    R::received(state)
}
