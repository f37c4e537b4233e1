//! What an adapter or an application puts beside a call: typed values that its tool may look at.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Typed values beside one call, at most one of each type: the user of the session, the locale, the connection.
///
/// They are neither arguments, which the caller chooses, nor state, which all calls share.
/// [`CallOptions::extensions`](crate::CallOptions::extensions) gives them to calls, a tool reads them with
/// [`Context::extension`](crate::Context::extension) or takes one as [`Extension`].
///
/// ```
/// use tool_core::Extensions;
///
/// struct User(&'static str);
///
/// let extensions = Extensions::new().with(User("ada")).with(7_u8);
/// assert_eq!(extensions.get::<User>().unwrap().0, "ada");
/// assert!(extensions.get::<u16>().is_none());
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    values: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
    /// Those of the request, which can be asked for a type and not listed. What is in `values` stands before them.
    #[cfg(feature = "http")]
    request: Option<Arc<http::Extensions>>,
    /// AskOutcome for what neither has.
    under: Option<Arc<Extensions>>,
}

impl Extensions {
    /// None yet.
    ///
    /// ```
    /// assert!(tool_core::Extensions::new().get::<u8>().is_none());
    /// ```
    pub fn new() -> Self {
        Extensions::default()
    }

    /// The same with this value, in place of another of its type.
    ///
    /// ```
    /// let extensions = tool_core::Extensions::new().with("de").with("en");
    /// assert_eq!(extensions.get::<&str>(), Some(&"en"));
    /// ```
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.values.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// The value of this type.
    ///
    /// ```
    /// assert_eq!(tool_core::Extensions::new().with(5_u8).get::<u8>(), Some(&5));
    /// ```
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let own = self.values.get(&TypeId::of::<T>()).and_then(|value| value.downcast_ref());
        #[cfg(feature = "http")]
        let own = own.or_else(|| self.request.as_ref()?.get());
        own.or_else(|| self.under.as_ref()?.get())
    }

    /// The first of two over the second, where there are both.
    pub(crate) fn layered(upper: Option<&Arc<Self>>, under: Option<&Arc<Self>>) -> Option<Arc<Self>> {
        match (upper, under) {
            (Some(upper), Some(_)) => Some(Arc::new(Extensions::clone(upper).over(under))),
            (Some(one), None) | (None, Some(one)) => Some(Arc::clone(one)),
            (None, None) => None,
        }
    }

    /// These before others, where both have a type.
    pub(crate) fn over(mut self, others: Option<&Arc<Extensions>>) -> Self {
        self.under = match self.under.take() {
            Some(under) => Some(Arc::new(Extensions::clone(&under).over(others))),
            None => others.cloned(),
        };
        self
    }
}

/// All that the layers of an application have put into a request, such as axum's `Extension<User>`.
///
/// ```
/// let mut request = http::Extensions::new();
/// request.insert(5_u8);
/// assert_eq!(tool_core::Extensions::from(request).get::<u8>(), Some(&5));
/// ```
#[cfg(feature = "http")]
impl From<http::Extensions> for Extensions {
    fn from(request: http::Extensions) -> Self {
        let request = (!request.is_empty()).then(|| Arc::new(request));
        Extensions { request, ..Extensions::default() }
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // They may hold secrets, and have no names.
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

/// A value beside the call as a parameter of a tool: `#[inject] user: Extension<User>`.
///
/// Whether a call has it is known only when it is made: where it has none, the tool is not run, the caller is told of an
/// internal error and the log what is missing. A parameter of type `Option<Extension<User>>` is `None` then.
///
/// ```
/// use tool_core::{CallOptions, Extension, Extensions, Registry, tool};
///
/// #[derive(Clone)]
/// struct User(String);
///
/// /// Greets whoever is signed in.
/// #[tool(operation = Read)]
/// fn greet_user(#[inject] user: Extension<User>) -> String {
///     format!("Hello {}", user.0.0)
/// }
/// assert_eq!(greet_user(Extension(User("you".into()))), "Hello you");
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().linked().select(|tool| tool.name() == "greet_user").build().unwrap();
/// let options = CallOptions::new().extensions(Extensions::new().with(User("Ada".into())));
/// let reply = registry.call_with("greet_user", b"{}", &options).await;
/// assert_eq!(reply.result.unwrap().value(), "Hello Ada");
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extension<T>(pub T);

impl<T> Deref for Extension<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
