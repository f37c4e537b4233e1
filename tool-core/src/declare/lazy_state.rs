//! State that is opened at its first use.

use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock, Mutex};

use regex::Regex;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::Instrument as _;

use crate::declare::inject::asynchronous::InjectAsync;
use crate::declare::inject::{Injection, Needs};
use crate::declare::state::state;
use crate::model::failure::{Failure, FailureKind, Reason};
use crate::model::future::BoxFuture;
use crate::model::lock::lock;

/// State that an async function opens when a tool first needs it: added with
/// [`RegistryBuilder::lazy_state`](crate::RegistryBuilder::lazy_state), and taken by a parameter
/// `#[inject] pool: LazyState<SqlitePool>`.
///
/// The registry can be built without a runtime, and a command that runs no tool, such as `list`, opens nothing. The state is
/// opened once, by the first call that needs it; calls that need it meanwhile wait for the same attempt. In a runtime of tokio the
/// attempt goes on when the time limit of a call ends, and a later call finds its result.
///
/// If the state cannot be opened, the calls that waited fail as [`Unavailable`](Reason::Unavailable), and the next call tries
/// again. Callers only read which type is not available. The text of the error is in the log, without the password of a URL such
/// as `postgres://user:password@host`, if its special characters are percent-encoded; keep other secrets out of it.
///
/// The function needs a time limit of its own, as pools of connections have one: calls wait for an attempt that does not end, each
/// until its own time limit.
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
    progress: Mutex<Stage<T>>,
}

/// How far the state is.
enum Stage<T> {
    Closed,
    /// An attempt is made. Its result is for all calls that wait.
    Opening(watch::Receiver<Attempt<T>>),
    Open(Arc<T>),
}

/// The result of an attempt; `None` until it ends.
type Attempt<T> = Option<Result<Arc<T>, Failure>>;

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
        StateOpener { open: Box::new(open), progress: Mutex::new(Stage::Closed) }
    }

    /// Returns the state, and opens it if nobody has.
    async fn get(self: Arc<Self>) -> Result<Arc<T>, Failure> {
        loop {
            let (mut attempt, started) = {
                let mut progress = lock(&self.progress);
                match &*progress {
                    Stage::Open(state) => return Ok(Arc::clone(state)),
                    Stage::Opening(attempt) => (attempt.clone(), None),
                    Stage::Closed => {
                        let (sender, attempt) = watch::channel(None);
                        *progress = Stage::Opening(attempt.clone());
                        (attempt, Some(AttemptGuard { opener: Arc::clone(&self), sender }))
                    }
                }
            };
            match (started, Handle::try_current()) {
                // The attempt outlives this call.
                (Some(guard), Ok(runtime)) => drop(runtime.spawn(guard.open().in_current_span())),
                (Some(guard), Err(_)) => guard.open().await,
                (None, _) => {}
            }
            let ended = attempt.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone());
            match ended {
                Some(result) => return result,
                // The function panicked in its own task.
                None if Handle::try_current().is_ok() => return Err(Failure::internal()),
                // The call that made the attempt was dropped.
                None => {}
            }
        }
    }
}

/// An attempt that is made. The state is closed again unless the attempt ends with it.
struct AttemptGuard<T> {
    opener: Arc<StateOpener<T>>,
    sender: watch::Sender<Attempt<T>>,
}

impl<T: Send + Sync + 'static> AttemptGuard<T> {
    async fn open(self) {
        let result = (self.opener.open)().await.map(Arc::new).map_err(|error| {
            let error = without_passwords(&error);
            tracing::error!(state = type_name::<T>(), %error, "state cannot be opened");
            let message = format!("the state `{}` is not available", short_name(type_name::<T>()));
            Failure::new(FailureKind::Failed(Reason::Unavailable), message)
        });
        *lock(&self.opener.progress) = match &result {
            Ok(state) => Stage::Open(Arc::clone(state)),
            Err(_) => Stage::Closed,
        };
        self.sender.send_replace(Some(result));
    }
}

impl<T> Drop for AttemptGuard<T> {
    fn drop(&mut self) {
        if self.sender.borrow().is_none() {
            *lock(&self.opener.progress) = Stage::Closed;
        }
    }
}

/// Returns the name of a type without its path and parameters.
fn short_name(name: &str) -> &str {
    let path = name.split('<').next().unwrap_or(name);
    path.rsplit("::").next().unwrap_or(path)
}

/// Replaces the passwords of URLs: the last part of `scheme://user:password@`.
fn without_passwords(text: &str) -> Cow<'_, str> {
    static PASSWORD: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("(://[^\\s/?#@:]*:)[^\\s/?#]*@").ok());
    PASSWORD.as_ref().map_or(Cow::Borrowed(text), |password| password.replace_all(text, "${1}(secret)@"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_the_passwords_of_urls() {
        for (text, expected) in [
            (
                "no route to postgres://ada:s3cr@t@db:5432/shop",
                "no route to postgres://ada:(secret)@db:5432/shop",
            ),
            ("redis://:s3cret@[::1]/ and http://a:b@c", "redis://:(secret)@[::1]/ and http://a:(secret)@c"),
            ("http://db:5432/a@b is down", "http://db:5432/a@b is down"),
        ] {
            assert_eq!(without_passwords(text), expected);
        }
    }

    #[test]
    fn shortens_the_names_of_types() {
        assert_eq!(short_name(type_name::<StateOpener<String>>()), "StateOpener");
        assert_eq!(short_name("str"), "str");
    }
}
