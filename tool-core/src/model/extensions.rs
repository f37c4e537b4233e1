//! Typed values that an adapter or an application attaches to a call.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Typed values attached to a call, at most one per type: the user of the session, the locale, the connection.
///
/// Unlike arguments, the caller does not choose them; unlike state, calls do not share them.
/// [`CallOptions::extensions`](crate::CallOptions::extensions) attaches them. A tool reads them with
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
    /// Those of the HTTP request, which cannot be listed. `values` takes precedence.
    #[cfg(feature = "http")]
    request: Option<Arc<http::Extensions>>,
    /// Used for types that neither has.
    under: Option<Arc<Extensions>>,
}

impl Extensions {
    /// Creates an empty set.
    ///
    /// ```
    /// assert!(tool_core::Extensions::new().get::<u8>().is_none());
    /// ```
    pub fn new() -> Self {
        Extensions::default()
    }

    /// Adds a value, and replaces another of its type.
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

    /// Returns the value of type `T`.
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

    /// Layers one set over another.
    pub(crate) fn layered(upper: Option<&Arc<Self>>, under: Option<&Arc<Self>>) -> Option<Arc<Self>> {
        match (upper, under) {
            (Some(upper), Some(_)) => Some(Arc::new(Extensions::clone(upper).over(under))),
            (Some(one), None) | (None, Some(one)) => Some(Arc::clone(one)),
            (None, None) => None,
        }
    }

    /// Adds `others` below these, which take precedence.
    pub(crate) fn over(mut self, others: Option<&Arc<Extensions>>) -> Self {
        self.under = match self.under.take() {
            Some(under) => Some(Arc::new(Extensions::clone(&under).over(others))),
            None => others.cloned(),
        };
        self
    }
}

/// Converts the extensions that the layers of an application added to a request, such as axum's `Extension<User>`.
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
        // Values may be secret, and have no names.
        f.debug_struct("Extensions").finish_non_exhaustive()
    }
}

/// An extension as a parameter of a tool: `#[inject] user: Extension<User>`.
///
/// The value is that of the call, or else that of its caller ([`Principal::with`](crate::Principal::with)). If both lack it, the tool
/// does not run, and the log names the missing type:
///
/// - If the caller is anonymous, the call is denied, as one without a permission: it needs a caller that is signed in. Whether
///   signing in would attach the value is not known here, so look at the log if it should have been there.
/// - For any other caller it is an internal error, since the application has not attached the value.
///
/// A parameter of type `Option<Extension<User>>` is `None` instead.
///
/// ```
/// use tool_core::{CallOptions, Extension, Extensions, Registry, tool};
///
/// #[derive(Clone)]
/// struct User(String);
///
/// /// Greets the signed-in user.
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
