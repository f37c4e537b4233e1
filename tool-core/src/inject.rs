//! Parameters that are no inputs: what `#[inject]` may stand on, and what it takes from the call.

use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::sync::Arc;

use crate::context::{Context, LazyContext};
use crate::failure::Failure;
use crate::state::States;

/// A type that a parameter marked `#[inject]` may have: its value comes from the call and not from the caller.
///
/// `Op` is one of the types in [`op`](crate::op), the operation of the tool. An implementation for every `Op` fits any
/// tool; one for `op::Write` alone can be injected into `Write` tools and nowhere else.
///
/// ```
/// use tool_core::{Context, Failure, Inject, Injection, Needs};
///
/// /// The identifier of the call, as a text.
/// struct Ticket(String);
///
/// impl<Op> Inject<Op> for Ticket {
///     fn needs(_: &mut Needs) {}
///
///     fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
///         Ok(Ticket(source.context().call_id().to_string()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into a tool declared `operation = {Op}`",
    label = "not something that a call has",
    note = "`Context` and `State<T>` can be injected, and any type that implements `tool_core::Inject`; drop `#[inject]` if the parameter is an input"
)]
pub trait Inject<Op>: Sized + 'static {
    /// Tells what must be in the registry, so that a missing state is found when it is built.
    fn needs(needs: &mut Needs);

    /// Takes the value from the call.
    ///
    /// # Errors
    ///
    /// When the call may not have it; the tool is then not run.
    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure>;
}

/// What the injected parameters of a tool need from its registry.
///
/// ```
/// let mut needs = tool_core::Needs::default();
/// needs.state::<u32>();
/// assert_eq!(needs.types().collect::<Vec<_>>(), ["u32"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Needs(Vec<(TypeId, &'static str)>);

impl Needs {
    /// State of this type must have been given to the registry.
    ///
    /// ```
    /// tool_core::Needs::default().state::<u32>();
    /// ```
    pub fn state<T: 'static>(&mut self) {
        let need = (TypeId::of::<T>(), type_name::<T>());
        if !self.0.contains(&need) {
            self.0.push(need);
        }
    }

    /// The names of the types of state that are needed.
    ///
    /// ```
    /// assert_eq!(tool_core::Needs::default().types().count(), 0);
    /// ```
    pub fn types(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|(_, name)| *name)
    }

    /// The names of the types that `states` lacks.
    pub(crate) fn unmet(&self, states: &States) -> Vec<&'static str> {
        self.0.iter().filter(|(id, _)| !states.contains(*id)).map(|(_, name)| *name).collect()
    }
}

/// Where an injected value comes from: the state of the registry and the context of the call.
///
/// The operation is part of its type, so that an [`Inject`] which asks others for its parts cannot ask for more than
/// its own tool may have.
///
/// ```
/// use tool_core::{Failure, Injection};
///
/// fn caller<Op>(source: &Injection<'_, Op>) -> String {
///     source.context().call_id().to_string()
/// }
/// ```
#[derive(Debug)]
pub struct Injection<'c, Op> {
    states: &'c States,
    context: &'c LazyContext<'c>,
    operation: PhantomData<fn() -> Op>,
}

impl<'c, Op> Injection<'c, Op> {
    pub(crate) fn new(states: &'c States, context: &'c LazyContext<'c>) -> Self {
        Injection { states, context, operation: PhantomData }
    }

    /// The context of the call.
    ///
    /// ```
    /// fn named<Op>(source: &tool_core::Injection<'_, Op>) -> String {
    ///     source.context().tool().to_owned()
    /// }
    /// ```
    pub fn context(&self) -> &'c Context {
        self.context.get()
    }

    /// State of the registry by its type.
    ///
    /// ```
    /// fn answer<Op>(source: &tool_core::Injection<'_, Op>) -> Option<u32> {
    ///     source.state::<u32>().map(|number| *number)
    /// }
    /// ```
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.states.get::<T>()
    }
}

/// The operations as types, for the parameter of [`Inject`].
///
/// ```
/// use tool_core::{Failure, Inject, Injection, Needs, op};
///
/// /// Only a `Write` tool can have it.
/// struct Pen;
///
/// impl Inject<op::Write> for Pen {
///     fn needs(_: &mut Needs) {}
///     fn inject(_: &Injection<'_, op::Write>) -> Result<Self, Failure> {
///         Ok(Pen)
///     }
/// }
/// ```
pub mod op {
    /// [`Operation::Explain`](crate::Operation::Explain) as a type.
    #[derive(Debug)]
    pub enum Explain {}
    /// [`Operation::Read`](crate::Operation::Read) as a type.
    #[derive(Debug)]
    pub enum Read {}
    /// [`Operation::Transform`](crate::Operation::Transform) as a type.
    #[derive(Debug)]
    pub enum Transform {}
    /// [`Operation::Trigger`](crate::Operation::Trigger) as a type.
    #[derive(Debug)]
    pub enum Trigger {}
    /// [`Operation::Write`](crate::Operation::Write) as a type.
    #[derive(Debug)]
    pub enum Write {}
}
