//! Parameters that are no inputs: what `#[inject]` may stand on, and what it takes from the call.

mod context;

use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::sync::Arc;

use crate::context::options::ContextOptions;
use crate::context::{Context, LazyContext};
use crate::declare::resource::Resource;
use crate::declare::state::States;
use crate::model::failure::Failure;

/// A type that a parameter marked `#[inject]` may have: its value comes from the call and not from the caller.
///
/// `Op` is one of the types in [`op`](crate::inject::op), the operation of the tool. An implementation for every `Op` fits any
/// tool; one for `op::Write` alone can be injected into `Write` tools and nowhere else.
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
    note = "`Context`, `Extension<T>`, `State<T>` and `Reader<T>` can be injected, `Writer<T>` and `Registry` where the tool modifies, and any type that implements `tool_core::Inject`; drop `#[inject]` if the parameter is an input"
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

/// A type that a parameter of a prompt may have that is marked `#[inject]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be injected into a prompt",
    label = "not something that a prompt has",
    note = "`Context`, `Extension<T>`, `State<T>` and `Reader<T>` can be injected, and any type that implements `tool_core::Inject<op::Prompt>`; drop `#[inject]` if the parameter is an argument"
)]
pub trait InjectIntoPrompt: Inject<op::Prompt> {}

#[diagnostic::do_not_recommend]
impl<T: Inject<op::Prompt>> InjectIntoPrompt for T {}

/// What the injected parameters of a tool need from its registry.
///
/// ```
/// let mut needs = tool_core::inject::Needs::default();
/// needs.state::<u32>();
/// assert_eq!(needs.types().collect::<Vec<_>>(), ["u32"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Needs(Vec<Need>);

impl Needs {
    /// State of this type must have been given to the registry.
    ///
    /// ```
    /// tool_core::inject::Needs::default().state::<u32>();
    /// ```
    pub fn state<T: 'static>(&mut self) {
        self.add::<T>(Handle::State);
    }

    /// A resource of this type must have been given to the registry, and is read.
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
        self.push::<T>(Handle::Reader, reader_writes::<T>());
    }

    /// A resource of this type must have been given to the registry, and is changed.
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

    /// The names of the types of state that are needed, each once.
    ///
    /// ```
    /// assert_eq!(tool_core::inject::Needs::default().types().count(), 0);
    /// ```
    pub fn types(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.distinct().map(Need::type_name)
    }

    /// Each need, in the order of the parameters; a type that is taken by several handles is there with each.
    ///
    /// ```
    /// use tool_core::inject::{Handle, Needs};
    ///
    /// let mut needs = Needs::default();
    /// needs.state::<u32>();
    /// assert!(needs.iter().all(|need| need.handle() == Handle::State));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Need> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add<T: 'static>(&mut self, handle: Handle) {
        self.push::<T>(handle, false);
    }

    fn push<T: 'static>(&mut self, handle: Handle, writes: bool) {
        let need = Need { id: TypeId::of::<T>(), name: type_name::<T>(), handle, writes };
        if !self.0.contains(&need) {
            self.0.push(need);
        }
    }

    /// One need of each type.
    fn distinct(&self) -> impl Iterator<Item = &Need> {
        let first = |need: &Need| self.0.iter().position(|other| other.is_same_type(need));
        self.0
            .iter()
            .enumerate()
            .filter(move |(position, need)| first(need) == Some(*position))
            .map(|(_, need)| need)
    }

    /// The names of the types that `states` lacks.
    pub(crate) fn unmet(&self, states: &States) -> Vec<&'static str> {
        self.distinct().filter(|need| !states.contains(need.id)).map(Need::type_name).collect()
    }
}

/// One type of state that a tool needs, and by which handle it takes it.
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
    /// It is taken to read, by a handle that can write.
    writes: bool,
}

impl Need {
    /// The name of the type.
    ///
    /// ```
    /// # let mut needs = tool_core::inject::Needs::default();
    /// # needs.state::<u32>();
    /// assert_eq!(needs.iter().next().unwrap().type_name(), "u32");
    /// ```
    pub fn type_name(&self) -> &'static str {
        self.name
    }

    /// How the tool takes it.
    ///
    /// ```
    /// # let mut needs = tool_core::inject::Needs::default();
    /// # needs.state::<u32>();
    /// assert_eq!(needs.iter().next().unwrap().handle(), tool_core::inject::Handle::State);
    /// ```
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Returns `true` for a `Reader` of a resource whose `Reader` and `Writer` are one type, so that what reads could write.
    pub(crate) fn writes(&self) -> bool {
        self.writes
    }

    /// Whether both are of one type, by whatever handle.
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

/// Returns `true` if the two handles of a resource are one type. `()` has nothing to write.
fn reader_writes<T: Resource>() -> bool {
    let reader = TypeId::of::<T::Reader>();
    reader == TypeId::of::<T::Writer>() && reader != TypeId::of::<()>()
}

/// By what a tool takes state of the registry.
///
/// ```
/// assert_ne!(tool_core::inject::Handle::State, tool_core::inject::Handle::Reader);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Handle {
    /// As it is: [`State`](crate::State), or whatever asks [`Injection::state`].
    State,
    /// To read: [`Reader`](crate::Reader).
    Reader,
    /// To change: [`Writer`](crate::Writer).
    Writer,
}

/// Where an injected value comes from: the state of the registry and the context of the call.
///
/// The operation is part of its type, so that an [`Inject`] which asks others for its parts cannot ask for more than
/// its own tool may have.
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

/// The same of a tool of any operation: what the pipeline has.
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
    /// Returns the registry through which the call came, if it is one of this type.
    pub(crate) fn registry<R: 'static>(&self) -> Option<&'c R> {
        self.context.registry()
    }

    /// Returns the options of the call.
    pub(crate) fn options(&self) -> &'c ContextOptions {
        self.context.options()
    }

    /// The context of the call.
    ///
    /// ```
    /// fn named<Op>(source: &tool_core::inject::Injection<'_, Op>) -> String {
    ///     source.context().tool().to_owned()
    /// }
    /// ```
    pub fn context(&self) -> &'c Context {
        self.context.get()
    }

    /// What the adapter or the application put beside the call, by its type.
    ///
    /// ```
    /// fn locale<Op>(source: &tool_core::inject::Injection<'_, Op>) -> Option<String> {
    ///     source.extension::<String>().cloned()
    /// }
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&'c T> {
        self.context.extension()
    }

    /// State of the registry by its type.
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

/// The operations as types, for the parameter of [`Inject`].
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
