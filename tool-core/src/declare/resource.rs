//! Resources with two handles, so that the operation of a tool decides what it may do with them.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use crate::context::Context;
use crate::declare::inject::{Inject, Injection, Needs, op};
use crate::declare::state::state;
use crate::model::failure::Failure;

/// State of the application that is read through one handle and changed through another.
///
/// Any tool may take a [`Reader`] of it, and a [`Writer`] only one whose operation modifies: `Write` or `Trigger`.
/// Another that takes a `Writer` does not compile. The handles are types of your choice: a struct, or a trait object,
/// which a test can replace by one that panics (see [`testing`](crate::testing)). What nobody changes has the `Writer`
/// `()`. A `Reader` and a `Writer` of one type would be no two handles: what reads could write, and
/// [`Registry::check`](crate::Registry::check) refuses a tool that takes such a `Reader` and modifies nothing.
///
/// The promise is about the two handles and about nothing else: put what changes the resource on its `Writer`, and
/// neither on its `Reader` nor on the type itself, which any tool can have as [`State<T>`](crate::State). A method on `&self` in an
/// `impl` block marked `#[tool]` has the type itself, too: a tool that only reads is better an associated function that takes
/// `#[inject] notes: Reader<Self>`, which the compiler holds to the handle.
///
/// ```
/// use std::sync::Mutex;
/// use tool_core::{Reader, Registry, Resource, WritePass, Writer, tool};
///
/// #[derive(Default)]
/// struct Notes {
///     pages: Pages,
/// }
///
/// #[derive(Default)]
/// struct Pages(Mutex<Vec<String>>);
///
/// impl Pages {
///     fn add(&self, text: String) -> usize {
///         let mut pages = self.0.lock().unwrap();
///         pages.push(text);
///         pages.len()
///     }
/// }
///
/// trait Read: Sync {
///     fn count(&self) -> usize;
/// }
///
/// impl Read for Pages {
///     fn count(&self) -> usize {
///         self.0.lock().unwrap().len()
///     }
/// }
///
/// impl Resource for Notes {
///     type Reader = dyn Read;
///     type Writer = Pages;
///
///     fn reader(&self) -> &Self::Reader {
///         &self.pages
///     }
///
///     fn writer(&self, _: WritePass<'_>) -> &Self::Writer {
///         &self.pages
///     }
/// }
///
/// /// How many notes there are.
/// #[tool(operation = Read)]
/// fn count_notes(#[inject] notes: Reader<Notes>) -> usize {
///     notes.count()
/// }
///
/// /// Adds a note.
/// #[tool(operation = Write, destructive = false)]
/// fn add_note(#[inject] notes: Writer<Notes>, /** The note. */ text: String) -> usize {
///     notes.add(text)
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder()
///     .linked()
///     .select(|tool| tool.name().contains("note"))
///     .state(Notes::default())
///     .build()
///     .unwrap();
/// registry.call("add_note", serde_json::json!({"text": "buy milk"})).await.unwrap();
/// assert_eq!(registry.call("count_notes", serde_json::json!({})).await.unwrap().value(), 1);
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handles to read it and to write it",
    label = "`Reader` and `Writer` are handles of a `Resource`",
    note = "write `impl tool_core::Resource for {Self}`, or take it as `State<{Self}>`"
)]
pub trait Resource: Send + Sync + 'static {
    /// What reads it, and changes nothing.
    type Reader: ?Sized;

    /// What changes it.
    type Writer: ?Sized;

    /// The handle that reads.
    fn reader(&self) -> &Self::Reader;

    /// The handle that changes. Only a [`Writer`] has the pass, so that it is the one way here.
    fn writer(&self, pass: WritePass<'_>) -> &Self::Writer;
}

/// Lets a [`Writer`] through to the handle that changes a [`Resource`]. Nobody else can make one.
///
/// ```
/// use tool_core::WritePass;
///
/// struct Counter(std::sync::atomic::AtomicU64);
///
/// impl tool_core::Resource for Counter {
///     type Reader = Self;
///     type Writer = std::sync::atomic::AtomicU64;
///
///     fn reader(&self) -> &Self {
///         self
///     }
///
///     fn writer(&self, _: WritePass<'_>) -> &Self::Writer {
///         &self.0
///     }
/// }
/// ```
#[derive(Debug)]
pub struct WritePass<'p>(PhantomData<&'p ()>);

/// The handle that reads a [`Resource`]: a parameter `#[inject] archive: Reader<Archive>`, of any tool.
///
/// It stands for the resource's own `Reader`, whose methods it has. The resource is given to the registry with
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
    /// A reader of this resource, for a call of the plain function, as in a unit test. Takes the resource or an [`Arc`]
    /// of it, such as [`Writer::resource`] of a [`Writer::for_tests`].
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
    fn needs(needs: &mut Needs) {
        needs.reader::<T>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        state(source).map(Reader)
    }
}

/// The handle that changes a [`Resource`]: a parameter `#[inject] archive: Writer<Archive>`, of a tool whose operation
/// is `Write` or `Trigger`. Of any other it does not compile.
///
/// It stands for the resource's own `Writer`, whose methods it has. Once one of them was called, the call cannot
/// [ask](crate::Context::elicit) its caller anything: it may start again when it is answered, and would write twice.
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
/// A tool that modifies nothing cannot have one:
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
/// Nor can it make one of what it has:
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
    /// The call that it was given to, which counts as having written once the handle is used.
    call: Option<Context>,
}

impl<T: Resource> Writer<T> {
    /// A writer of a resource that nobody else has, for a unit test that calls the plain function: what
    /// [`Reader::new`] and [`State::new`](crate::State::new) are for the other handles.
    ///
    /// It takes the resource itself, so that whoever has a [`State`](crate::State) or a [`Reader`] of one gets no writer of
    /// it here. Two ways around that the compiler cannot see. Of a resource that is `Clone`, and whose clones share what
    /// they change, any tool can make another: do not derive `Clone` for it. And a tool that takes the `State` of a resource can
    /// put it into a resource type of its own, whose `writer` hands the [`WritePass`] on: look for `State` of a resource
    /// in tools that modify nothing, which [`LintRule::RawState`](crate::lint::LintRule::RawState) does. Both are deliberate; by
    /// mistake nobody gets a writer.
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

    /// The resource itself: what a test looks at when the function has returned.
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
    fn needs(needs: &mut Needs) {
        needs.writer::<T>();
    }

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        let call = Some(source.context().clone());
        state(source).map(|resource| Writer { resource, call })
    }
}

/// A resource that a tool of this operation may write: every resource, and the two operations that modify.
#[diagnostic::on_unimplemented(
    message = "only a tool declared `operation = Write` or `Trigger` may take `Writer<{Self}>`",
    label = "the operation of this one modifies nothing, and has no writer",
    note = "take a `Reader` of it, or declare the tool `operation = Write` or `Trigger`"
)]
pub trait WritableBy<Op> {}

impl<T: Resource> WritableBy<op::Trigger> for T {}
impl<T: Resource> WritableBy<op::Write> for T {}
