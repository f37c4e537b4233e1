//! The handles of a resource: one reads, the other one writes.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::context::Context;
use crate::declare::inject::{Inject, Injection, Needs, op};
use crate::declare::resource::{Resource, WritePass};
use crate::declare::state::state;
use crate::model::failure::Failure;

/// A handle that reads a [`Resource`]: `#[inject] archive: Reader<Archive>`, in any tool.
///
/// It dereferences to the resource's `Reader`. Add the resource with
/// [`RegistryBuilder::state`](crate::RegistryBuilder::state).
///
/// ```
/// use tool_core::{Reader, Resource, WritePass, tool};
///
/// struct Shop {
///     name: String,
/// }
///
/// impl Resource for Shop {
///     type Reader = Self;
///     type Writer = ();
///
///     fn reader(&self) -> &Self {
///         self
///     }
///
///     fn writer(&self, _: WritePass<'_>) -> &() {
///         &()
///     }
/// }
///
/// /// The name over the door.
/// #[tool(operation = Read)]
/// fn door(#[inject] shop: Reader<Shop>) -> String {
///     shop.name.clone()
/// }
///
/// // In a unit test, the tool is the function that it always was.
/// assert_eq!(door(Reader::new(Shop { name: "Corner".to_owned() })), "Corner");
/// ```
#[derive(Debug)]
pub struct Reader<T>(Arc<T>);

impl<T: Resource> Reader<T> {
    /// Creates a reader for calling a tool function directly, as in a unit test. Takes the resource or an [`Arc`] of
    /// it, such as [`Writer::resource`] of a [`Writer::for_tests`].
    ///
    /// ```
    /// # struct Shop;
    /// # impl tool_core::Resource for Shop {
    /// #     type Reader = str;
    /// #     type Writer = ();
    /// #     fn reader(&self) -> &str { "Corner" }
    /// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &() { &() }
    /// # }
    /// let reader: tool_core::Reader<Shop> = tool_core::Reader::new(Shop);
    /// assert_eq!(&*reader, "Corner");
    /// ```
    pub fn new(resource: impl Into<Arc<T>>) -> Self {
        Reader(resource.into())
    }
}

impl<T> Clone for Reader<T> {
    fn clone(&self) -> Self {
        Reader(Arc::clone(&self.0))
    }
}

impl<T: Resource> Deref for Reader<T> {
    type Target = T::Reader;

    fn deref(&self) -> &T::Reader {
        self.0.reader()
    }
}

impl<T: Resource, Op> Inject<Op> for Reader<T> {
    const __IS_HANDLE: bool = true;

    fn needs(needs: &mut Needs) {
        needs.reader::<T>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        state(source).map(Reader)
    }
}

/// A handle that changes a [`Resource`]: `#[inject] archive: Writer<Archive>`, in a tool whose operation is `Write` or
/// `Trigger`. In other tools it does not compile.
///
/// It dereferences to the resource's `Writer`. Once it was used, the call cannot [ask](crate::Context::elicit) its
/// caller any more: the call may start again with the answer, and would write twice.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tool_core::{Resource, WritePass, Writer, tool};
///
/// struct Visits(AtomicU64);
///
/// impl Resource for Visits {
///     type Reader = ();
///     type Writer = AtomicU64;
///
///     fn reader(&self) -> &() {
///         &()
///     }
///
///     fn writer(&self, _: WritePass<'_>) -> &AtomicU64 {
///         &self.0
///     }
/// }
///
/// /// Counts one more visit.
/// #[tool(operation = Write, destructive = false)]
/// fn count_visit(#[inject] visits: Writer<Visits>) -> u64 {
///     visits.fetch_add(1, Ordering::Relaxed) + 1
/// }
///
/// // In a unit test the resource is kept, to see what became of it.
/// let writer = Writer::for_tests(Visits(AtomicU64::new(8)));
/// let visits = writer.resource();
/// assert_eq!(count_visit(writer), 9);
/// assert_eq!(visits.0.load(Ordering::Relaxed), 9);
/// ```
///
/// A tool that modifies nothing cannot take one:
///
/// ```compile_fail,E0277
/// # struct Visits;
/// # impl tool_core::Resource for Visits {
/// #     type Reader = ();
/// #     type Writer = ();
/// #     fn reader(&self) -> &() { &() }
/// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &() { &() }
/// # }
/// /// Says how many visits there were.
/// #[tool_core::tool(operation = Read)]
/// fn visits(#[inject] visits: tool_core::Writer<Visits>) {}
/// ```
///
/// Nor can it create one from state:
///
/// ```compile_fail,E0308
/// # struct Visits;
/// # impl tool_core::Resource for Visits {
/// #     type Reader = ();
/// #     type Writer = ();
/// #     fn reader(&self) -> &() { &() }
/// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &() { &() }
/// # }
/// /// Says how many visits there were.
/// #[tool_core::tool(operation = Read)]
/// fn visits(#[inject] visits: tool_core::State<Visits>) {
///     let visits: std::sync::Arc<Visits> = visits.into();
///     let writer: tool_core::Writer<Visits> = tool_core::Writer::for_tests(visits);
/// }
/// ```
#[derive(Debug)]
pub struct Writer<T> {
    resource: Arc<T>,
    /// The call that the handle was injected into, marked as modified when the handle is used.
    call: Option<Context>,
}

impl<T: Resource> Writer<T> {
    /// Creates a writer of a new resource, for calling a tool function directly in a unit test. See [`Reader::new`] and
    /// [`State::new`](crate::State::new) for the other handles.
    ///
    /// It takes the resource by value, so a [`State`](crate::State) or a [`Reader`] cannot be turned into a writer. Two
    /// ways around it remain. Do not derive `Clone` for a resource whose clones share what they change. And look for
    /// tools that modify nothing but take the `State` of a resource, as
    /// [`LintRule::RawState`](crate::lint::LintRule::RawState) does: they could wrap it in a resource of their own,
    /// whose `writer` passes the [`WritePass`] on.
    ///
    /// ```
    /// # struct Shop;
    /// # impl tool_core::Resource for Shop {
    /// #     type Reader = ();
    /// #     type Writer = str;
    /// #     fn reader(&self) -> &() { &() }
    /// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &str { "Corner" }
    /// # }
    /// let writer: tool_core::Writer<Shop> = tool_core::Writer::for_tests(Shop);
    /// assert_eq!(&*writer, "Corner");
    /// ```
    #[doc(alias = "new")]
    pub fn for_tests(resource: T) -> Self {
        Writer { resource: Arc::new(resource), call: None }
    }

    /// Returns the resource, for a test to inspect afterwards.
    ///
    /// ```
    /// # struct Shop(u32);
    /// # impl tool_core::Resource for Shop {
    /// #     type Reader = ();
    /// #     type Writer = u32;
    /// #     fn reader(&self) -> &() { &() }
    /// #     fn writer(&self, _: tool_core::WritePass<'_>) -> &u32 { &self.0 }
    /// # }
    /// assert_eq!(tool_core::Writer::for_tests(Shop(5)).resource().0, 5);
    /// ```
    pub fn resource(&self) -> Arc<T> {
        Arc::clone(&self.resource)
    }
}

impl<T: Resource> Deref for Writer<T> {
    type Target = T::Writer;

    fn deref(&self) -> &T::Writer {
        if let Some(call) = &self.call {
            call.elicitation().mark_modified();
        }
        self.resource.writer(WritePass(PhantomData))
    }
}

impl<T: Resource + WritableBy<Op>, Op> Inject<Op> for Writer<T> {
    const __IS_HANDLE: bool = true;

    fn needs(needs: &mut Needs) {
        needs.writer::<T>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        let call = Some(source.context().clone());
        state(source).map(|resource| Writer { resource, call })
    }
}

/// Implemented for all resources and the operations that modify.
#[diagnostic::on_unimplemented(
    message = "only a tool declared `operation = Write` or `Trigger` may take `Writer<{Self}>`",
    label = "the operation of this one modifies nothing, and has no writer",
    note = "take a `Reader` of it, or declare the tool `operation = Write` or `Trigger`"
)]
pub trait WritableBy<Op> {}

impl<T: Resource> WritableBy<op::Trigger> for T {}
impl<T: Resource> WritableBy<op::Write> for T {}
