//! Injection: parameters of a tool that come from the call instead of the caller.

pub(crate) mod asynchronous;
mod context;
pub(crate) mod mode;
#[cfg(feature = "tasks")]
pub(crate) mod task_key;

use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::sync::Arc;

use crate::context::options::ContextOptions;
use crate::context::{Context, LazyContext};
use crate::declare::resource::Resource;
use crate::declare::states::States;
use crate::model::failure::Failure;

/// A type for a parameter marked `#[inject]`: its value comes from the call, not from the caller.
///
/// `Op` is the operation of the tool, one of the types in [`op`](crate::inject::op). An implementation for every `Op`
/// works in every tool; one for `op::Write` only in `Write` tools. See [`InjectAsync`](crate::inject::InjectAsync) for
/// a value that is awaited.
///
/// ```
/// use tool_core::{Context, Failure};
/// use tool_core::inject::{Inject, Injection, Needs};
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
    note = "`Context`, `Extension<T>`, `State<T>`, `LazyState<T>` and `Reader<T>` can be injected, `Writer<T>` and `Registry` where the tool modifies, and any type that implements `tool_core::inject::Inject` or `InjectAsync`; drop `#[inject]` if the parameter is an input"
)]
pub trait Inject<Op>: Sized + 'static {
    /// Whether the value is a handle of state, which does not depend on the call.
    #[doc(hidden)]
    const __IS_HANDLE: bool = false;

    /// Describes what the registry must have, so that missing state is found when it is built.
    fn needs(needs: &mut Needs);

    /// Creates the value from the call.
    ///
    /// # Errors
    ///
    /// If the call has no such value. The tool is then not run.
    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure>;
}

/// A type for a parameter of a prompt that is marked `#[inject]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into a prompt",
    label = "not something that a prompt has",
    note = "`Context`, `Extension<T>`, `State<T>`, `LazyState<T>` and `Reader<T>` can be injected, and any type that implements `tool_core::inject::Inject<op::Prompt>` or `InjectAsync<op::Prompt>`; drop `#[inject]` if the parameter is an argument"
)]
pub trait InjectIntoPrompt: Inject<op::Prompt> {}

#[diagnostic::do_not_recommend]
impl<T: Inject<op::Prompt>> InjectIntoPrompt for T {}

/// The state that the injected parameters of a tool need.
///
/// ```
/// let mut needs = tool_core::inject::Needs::default();
/// needs.state::<u32>();
/// assert_eq!(needs.types().collect::<Vec<_>>(), ["u32"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Needs {
    types: Vec<Need>,
    /// Whether a parameter is injected whose value may depend on the call.
    depends_on_call: bool,
}

impl Needs {
    /// Requires state of type `T`.
    ///
    /// ```
    /// tool_core::inject::Needs::default().state::<u32>();
    /// ```
    pub fn state<T: 'static>(&mut self) {
        self.add::<T>(Handle::State);
    }

    /// Requires `Opener` among the state, which tools take as `T`.
    #[cfg(feature = "tokio")]
    pub(crate) fn lazy_state<Opener: 'static, T: 'static>(&mut self) {
        let need = Need { name: type_name::<T>(), ..Need::new::<Opener>(Handle::State, false) };
        self.push(need);
    }

    /// Requires a resource of type `T`, for reading.
    ///
    /// ```
    /// # struct Shop;
    /// # impl tool_core::Resource for Shop {
    /// #     type Reader = ();
    /// #     type Writer = ();
    /// #     fn reader(&self) -> &() { &() }
    /// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &() { &() }
    /// # }
    /// tool_core::inject::Needs::default().reader::<Shop>();
    /// ```
    pub fn reader<T: Resource>(&mut self) {
        self.push(Need::new::<T>(Handle::Reader, reader_writes::<T>()));
    }

    /// Requires a resource of type `T`, for writing.
    ///
    /// ```
    /// # struct Shop;
    /// # impl tool_core::Resource for Shop {
    /// #     type Reader = ();
    /// #     type Writer = ();
    /// #     fn reader(&self) -> &() { &() }
    /// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &() { &() }
    /// # }
    /// tool_core::inject::Needs::default().writer::<Shop>();
    /// ```
    pub fn writer<T: Resource>(&mut self) {
        self.add::<T>(Handle::Writer);
    }

    /// Returns the names of the required types, each once.
    ///
    /// ```
    /// assert_eq!(tool_core::inject::Needs::default().types().count(), 0);
    /// ```
    pub fn types(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.distinct().map(Need::type_name)
    }

    /// Returns the needs in the order of the parameters. A type with several handles appears once per handle.
    ///
    /// ```
    /// use tool_core::inject::{Handle, Needs};
    ///
    /// let mut needs = Needs::default();
    /// needs.state::<u32>();
    /// assert!(needs.iter().all(|need| need.handle() == Handle::State));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Need> {
        self.types.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// Records that a parameter is injected whose value may depend on the call.
    pub(crate) fn mark_depends_on_call(&mut self) {
        self.depends_on_call = true;
    }

    /// Returns `true` if the value of an injected parameter may depend on the call.
    pub(crate) fn depends_on_call(&self) -> bool {
        self.depends_on_call
    }

    fn add<T: 'static>(&mut self, handle: Handle) {
        self.push(Need::new::<T>(handle, false));
    }

    fn push(&mut self, need: Need) {
        if !self.types.contains(&need) {
            self.types.push(need);
        }
    }

    /// Returns one need per type.
    fn distinct(&self) -> impl Iterator<Item = &Need> {
        let first = |need: &Need| self.types.iter().position(|other| other.is_same_type(need));
        self.types
            .iter()
            .enumerate()
            .filter(move |(position, need)| first(need) == Some(*position))
            .map(|(_, need)| need)
    }

    /// Returns the names of the types that `states` does not have.
    pub(crate) fn unmet(&self, states: &States) -> Vec<&'static str> {
        self.distinct().filter(|need| !states.contains(need.id)).map(Need::type_name).collect()
    }
}

/// A type of state that a tool needs, and how it uses it.
///
/// ```
/// use tool_core::inject::{Handle, Needs};
///
/// let mut needs = Needs::default();
/// needs.state::<u32>();
/// let need = needs.iter().next().unwrap();
/// assert_eq!((need.type_name(), need.handle()), ("u32", Handle::State));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    id: TypeId,
    name: &'static str,
    handle: Handle,
    /// Whether the handle is for reading, but could write.
    writes: bool,
}

impl Need {
    fn new<T: 'static>(handle: Handle, writes: bool) -> Self {
        Need { id: TypeId::of::<T>(), name: type_name::<T>(), handle, writes }
    }

    /// Returns the name of the type.
    ///
    /// ```
    /// # let mut needs = tool_core::inject::Needs::default();
    /// # needs.state::<u32>();
    /// assert_eq!(needs.iter().next().unwrap().type_name(), "u32");
    /// ```
    pub fn type_name(&self) -> &'static str {
        self.name
    }

    /// Returns how the tool uses the state.
    ///
    /// ```
    /// # let mut needs = tool_core::inject::Needs::default();
    /// # needs.state::<u32>();
    /// assert_eq!(needs.iter().next().unwrap().handle(), tool_core::inject::Handle::State);
    /// ```
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Returns `true` for a `Reader` of a resource whose `Reader` and `Writer` are the same type.
    pub(crate) fn writes(&self) -> bool {
        self.writes
    }

    /// Returns `true` if both needs are of the same type, ignoring the handle.
    ///
    /// ```
    /// # let mut needs = tool_core::inject::Needs::default();
    /// # needs.state::<u32>();
    /// let need = needs.iter().next().unwrap();
    /// assert!(need.is_same_type(need));
    /// ```
    pub fn is_same_type(&self, other: &Need) -> bool {
        self.id == other.id
    }
}

/// Returns `true` if the reader and the writer of a resource are the same type. `()` cannot write.
fn reader_writes<T: Resource>() -> bool {
    let reader = TypeId::of::<T::Reader>();
    reader == TypeId::of::<T::Writer>() && reader != TypeId::of::<()>()
}

/// How a tool uses state of the registry.
///
/// ```
/// assert_ne!(tool_core::inject::Handle::State, tool_core::inject::Handle::Reader);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Handle {
    /// As it is: [`State`](crate::State), or [`Injection::state`].
    State,
    /// For reading: [`Reader`](crate::Reader).
    Reader,
    /// For writing: [`Writer`](crate::Writer).
    Writer,
}

/// The source of injected values: the state of the registry and the context of the call.
///
/// The operation is part of the type, so an [`Inject`] that uses another one cannot get more than its own tool may
/// have.
///
/// ```
/// use tool_core::Failure;
/// use tool_core::inject::Injection;
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

/// The source of injected values for any operation.
#[derive(Clone, Copy, Debug)]
pub struct InjectionSource<'c> {
    pub(crate) states: &'c States,
    pub(crate) context: &'c LazyContext<'c>,
}

impl<'c, Op> From<InjectionSource<'c>> for Injection<'c, Op> {
    fn from(InjectionSource { states, context }: InjectionSource<'c>) -> Self {
        Injection { states, context, operation: PhantomData }
    }
}

impl<'c, Op> Injection<'c, Op> {
    /// Returns the registry that the call was made through, if it is of type `R`.
    pub(crate) fn registry<R: 'static>(&self) -> Option<&'c R> {
        self.context.registry()
    }

    /// Returns the options of the call.
    #[cfg(feature = "tasks")]
    pub(crate) fn call_id(&self) -> crate::model::call_id::CallId {
        self.context.call_id()
    }

    pub(crate) fn options(&self) -> &'c ContextOptions {
        self.context.options()
    }

    /// Returns the context of the call.
    ///
    /// ```
    /// fn named<Op>(source: &tool_core::inject::Injection<'_, Op>) -> String {
    ///     source.context().tool().to_owned()
    /// }
    /// ```
    pub fn context(&self) -> &'c Context {
        self.context.get()
    }

    /// Returns the extension of type `T` that an adapter or the application attached to the call.
    ///
    /// ```
    /// fn locale<Op>(source: &tool_core::inject::Injection<'_, Op>) -> Option<String> {
    ///     source.extension::<String>().cloned()
    /// }
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&'c T> {
        self.context.extension()
    }

    /// Returns the state of type `T`.
    ///
    /// ```
    /// fn answer<Op>(source: &tool_core::inject::Injection<'_, Op>) -> Option<u32> {
    ///     source.state::<u32>().map(|number| *number)
    /// }
    /// ```
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.states.get::<T>()
    }
}

/// The operations as types, for [`Inject`].
///
/// ```
/// use tool_core::Failure;
/// use tool_core::inject::{Inject, Injection, Needs, op};
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
    #[derive(Clone, Copy, Debug)]
    pub struct Explain;
    /// [`Operation::Read`](crate::Operation::Read) as a type.
    #[derive(Clone, Copy, Debug)]
    pub struct Read;
    /// [`Operation::Transform`](crate::Operation::Transform) as a type.
    #[derive(Clone, Copy, Debug)]
    pub struct Transform;
    /// [`Operation::Trigger`](crate::Operation::Trigger) as a type.
    #[derive(Clone, Copy, Debug)]
    pub struct Trigger;
    /// [`Operation::Write`](crate::Operation::Write) as a type.
    #[derive(Clone, Copy, Debug)]
    pub struct Write;
    /// A prompt, which modifies nothing.
    #[derive(Clone, Copy, Debug)]
    pub struct Prompt;
}
