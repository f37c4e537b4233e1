//! State that is opened at its first use.

use std::any::type_name;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::OnceCell;

use crate::declare::inject::asynchronous::InjectAsync;
use crate::declare::inject::{Injection, Needs};
use crate::declare::state::state;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::future::BoxFuture;

/// State that an async function opens when a tool first needs it: added with
/// [`RegistryBuilder::lazy_state`](crate::RegistryBuilder::lazy_state), and taken by a parameter
/// `#[inject] pool: LazyState<SqlitePool>`.
///
/// The registry can be built without a runtime, and a command that runs no tool, such as `list`, opens nothing. The state is
/// opened once, by the first call that needs it, and within the time limit of that call. If it cannot be opened, that call fails
/// as [`Unavailable`](Reason::Unavailable) with the text of the error, and the next call tries again.
///
/// A [`Resource`](crate::Resource) is no such state, since a [`Reader`](crate::Reader) is given without waiting: its methods open
/// what they need, for example with tokio's `OnceCell`.
///
/// Building a registry fails if the state of a tool is missing.
///
/// ```
/// use tool_core::{LazyState, Registry, tool};
///
/// struct Catalog {
///     books: Vec<&'static str>,
/// }
///
/// impl Catalog {
///     async fn connect() -> std::io::Result<Self> {
///         Ok(Catalog { books: vec!["Emma", "Persuasion"] })
///     }
/// }
///
/// /// Counts the books.
/// #[tool(operation = Read)]
/// fn count_books(#[inject] catalog: LazyState<Catalog>) -> usize {
///     catalog.books.len()
/// }
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// let builder = Registry::builder().linked().lazy_state(Catalog::connect);
/// # let builder = builder.select(|tool| tool.name() == "count_books");
/// let registry = builder.build().unwrap();
/// assert_eq!(registry.call("count_books", serde_json::json!({})).await.unwrap().value(), 2);
/// # });
/// ```
#[derive(Debug)]
pub struct LazyState<T: ?Sized>(Arc<T>);

impl<T> LazyState<T> {
    /// Creates state for calling a tool function directly, as in a unit test.
    ///
    /// ```
    /// assert_eq!(*tool_core::LazyState::new(5), 5);
    /// ```
    pub fn new(value: T) -> Self {
        LazyState(Arc::new(value))
    }
}

impl<T: ?Sized> Clone for LazyState<T> {
    fn clone(&self) -> Self {
        LazyState(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for LazyState<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Converts the state into an [`Arc`] that outlives the call.
///
/// ```
/// use std::sync::Arc;
///
/// let name: Arc<String> = tool_core::LazyState::new("Corner".to_owned()).into();
/// assert_eq!(*name, "Corner");
/// ```
impl<T: ?Sized> From<LazyState<T>> for Arc<T> {
    fn from(state: LazyState<T>) -> Self {
        state.0
    }
}

/// What a registry has in the place of the state: the function that opens it, and the state once it is open.
pub(crate) struct StateOpener<T> {
    open: Box<dyn Fn() -> BoxFuture<'static, Result<T, String>> + Send + Sync>,
    state: OnceCell<Arc<T>>,
}

impl<T: Send + Sync + 'static> StateOpener<T> {
    pub(crate) fn new<F, E>(open: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        E: fmt::Display,
    {
        let open = move || -> BoxFuture<'static, _> {
            let opening = open();
            Box::pin(async move { opening.await.map_err(|error| error.to_string()) })
        };
        StateOpener { open: Box::new(open), state: OnceCell::new() }
    }

    /// Returns the state, and opens it if nobody has.
    async fn get(&self) -> Result<Arc<T>, Failure> {
        let open = async || (self.open)().await.map(Arc::new);
        self.state.get_or_try_init(open).await.cloned().map_err(|error| {
            tracing::error!(state = type_name::<T>(), error, "state cannot be opened");
            let message = format!("cannot open the state of the application: {error}");
            Failure::new(FailureKind::Failed(Reason::Unavailable), message)
        })
    }
}

impl<T: Send + Sync + 'static, Op> InjectAsync<Op> for LazyState<T> {
    const __IS_HANDLE: bool = true;

    fn needs(needs: &mut Needs) {
        needs.lazy_state::<StateOpener<T>, Self>();
    }

    fn inject(source: &Injection<'_, Op>) -> impl Future<Output = Result<Self, Failure>> + Send {
        let opener = state::<StateOpener<T>, Op>(source);
        async move { opener?.get().await.map(LazyState) }
    }
}
