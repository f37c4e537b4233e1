//! Resources: state with a handle for reading and one for writing, checked against the operation of a tool.

use std::marker::PhantomData;

/// State with one handle for reading and another for writing.
///
/// Any tool may take a [`Reader`](crate::Reader). Only a tool whose operation modifies (`Write` or `Trigger`) may take a [`Writer`](crate::Writer);
/// any other does not compile. The handles are types of your choice: a struct, or a trait object that a test can
/// replace (see [`testing`](crate::testing)). For read-only state, the `Writer` is `()`. `Reader` and `Writer` should
/// be different types: [`Registry::check`](crate::Registry::check) rejects a tool that modifies nothing and takes a
/// `Reader` that can also write.
///
/// Only the handles are protected. Put what changes the resource on its `Writer`, neither on its `Reader` nor on the
/// type itself: any tool can take the type as [`State<T>`](crate::State), and so can a method with `&self` in an `impl`
/// block marked `#[tool]`. A tool that only reads is better an associated function with `#[inject] notes:
/// Reader<Self>`.
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
    /// The handle for reading.
    type Reader: ?Sized;

    /// The handle for writing.
    type Writer: ?Sized;

    /// Returns the handle for reading.
    fn reader(&self) -> &Self::Reader;

    /// Returns the handle for writing. Only a [`Writer`](crate::Writer) has a pass.
    fn writer(&self, pass: WritePass<'_>) -> &Self::Writer;
}

/// Proves that a [`Writer`](crate::Writer) calls [`Resource::writer`]. It cannot be created elsewhere.
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
pub struct WritePass<'p>(pub(super) PhantomData<&'p ()>);
