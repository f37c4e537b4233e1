//! The caller, and decisions of access functions.

use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use crate::model::extensions::Extensions;

/// The caller: an identity, and the permissions that the application granted to it.
///
/// ```
/// use tool_core::Principal;
///
/// let editor = Principal::new("ada").grant("node.view").grant("node.edit");
/// assert_eq!(editor.id(), Some("ada"));
/// assert!(editor.has("node.edit"));
/// assert!(!Principal::anonymous().has("node.view"));
/// ```
///
/// Typed [extensions](Principal::with) tell more about it. Principals are compared without them.
#[derive(Clone, PartialEq, Eq)]
pub struct Principal(Arc<Identity>);

#[derive(Clone, Default)]
struct Identity {
    id: Option<String>,
    permissions: BTreeSet<String>,
    /// Boxed to keep principals without extensions small.
    extensions: Option<Box<Extensions>>,
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.permissions == other.permissions
    }
}

impl Eq for Identity {}

impl Principal {
    /// Creates a principal without permissions.
    ///
    /// ```
    /// assert_eq!(tool_core::Principal::new("ada").id(), Some("ada"));
    /// ```
    pub fn new(id: impl Into<String>) -> Self {
        Principal(Arc::new(Identity { id: Some(id.into()), ..Identity::default() }))
    }

    /// Creates an anonymous principal.
    ///
    /// ```
    /// assert_eq!(tool_core::Principal::anonymous().id(), None);
    /// ```
    pub fn anonymous() -> Self {
        static ANONYMOUS: LazyLock<Principal> = LazyLock::new(|| Principal(Arc::new(Identity::default())));
        ANONYMOUS.clone()
    }

    /// Creates the principal for the local user: on the command line, over stdio and in tests.
    ///
    /// ```
    /// assert_eq!(tool_core::Principal::local().id(), Some("local"));
    /// ```
    pub fn local() -> Self {
        static LOCAL: LazyLock<Principal> = LazyLock::new(|| Principal::new("local"));
        LOCAL.clone()
    }

    /// Adds a permission.
    ///
    /// ```
    /// assert!(tool_core::Principal::local().grant("node.view").has("node.view"));
    /// ```
    #[must_use]
    pub fn grant(mut self, permission: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).permissions.insert(permission.into());
        self
    }

    /// Adds a value that tools can use, such as the user of an application, and replaces another of its type.
    ///
    /// A tool takes it as [`Extension`](crate::Extension), or reads it with
    /// [`Context::extension`](crate::Context::extension), unless the call has an extension of the same type.
    ///
    /// ```
    /// use tool_core::{CallOptions, Extension, Principal, Registry, tool, tools};
    ///
    /// #[derive(Clone)]
    /// struct User {
    ///     full_name: String,
    /// }
    ///
    /// /// Greets the caller.
    /// #[tool(operation = Explain)]
    /// fn greet_caller(#[inject] user: Extension<User>) -> String {
    ///     format!("Hello {}", user.full_name)
    /// }
    ///
    /// # tool_core::private::block_on(async {
    /// let registry = Registry::builder().tools(tools![greet_caller]).build().unwrap();
    /// let ada = Principal::new("ada").with(User { full_name: "Ada Lovelace".into() });
    /// let output = registry.as_principal(ada).call("greet_caller", serde_json::json!({})).await.unwrap();
    /// assert_eq!(output.value(), "Hello Ada Lovelace");
    /// # });
    /// ```
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        let identity = Arc::make_mut(&mut self.0);
        let extensions = identity.extensions.take().unwrap_or_default();
        identity.extensions = Some(Box::new(extensions.with(value)));
        self
    }

    /// Returns the value of type `T` that was [added](Principal::with).
    ///
    /// ```
    /// use tool_core::Principal;
    ///
    /// struct Tenant(&'static str);
    ///
    /// let ada = Principal::new("ada").with(Tenant("north"));
    /// assert_eq!(ada.extension::<Tenant>().unwrap().0, "north");
    /// assert!(Principal::anonymous().extension::<Tenant>().is_none());
    /// ```
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.extensions.as_ref()?.get()
    }

    /// Returns the identity, or `None` for an anonymous caller.
    ///
    /// ```
    /// assert!(tool_core::Principal::anonymous().id().is_none());
    /// ```
    pub fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    /// Returns the permissions that were granted.
    #[cfg(feature = "tasks")]
    pub(crate) fn permissions(&self) -> &BTreeSet<String> {
        &self.0.permissions
    }

    /// Returns `true` if the permission was granted.
    ///
    /// ```
    /// assert!(!tool_core::Principal::local().has("node.view"));
    /// ```
    pub fn has(&self, permission: &str) -> bool {
        self.0.permissions.contains(permission)
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Principal").field(&self.id().unwrap_or("anonymous")).finish()
    }
}

/// The decision of an access function.
///
/// ```
/// use tool_core::{Access, Principal};
///
/// fn may_edit(principal: &Principal, owner: &String) -> Access {
///     if principal.id() == Some(owner) { Access::Allow } else { Access::deny("only the owner may edit it") }
/// }
///
/// assert_eq!(may_edit(&Principal::new("ada"), &"ada".to_owned()), Access::Allow);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Access {
    /// The call continues.
    Allow,
    /// The call is denied, with a reason for the caller.
    Deny(String),
}

impl Access {
    /// Creates a denial with a reason for the caller.
    ///
    /// ```
    /// assert!(matches!(tool_core::Access::deny("not yours"), tool_core::Access::Deny(_)));
    /// ```
    pub fn deny(reason: impl Into<String>) -> Self {
        Access::Deny(reason.into())
    }
}

/// A decision about access, made or pending.
pub enum Guard<'a> {
    /// The decision.
    Decided(Access),
    /// A future of the decision.
    Deciding(Pin<Box<dyn Future<Output = Access> + Send + 'a>>),
}

/// A return type of access functions: [`Access`], or a future of it.
///
/// `Marker` distinguishes the two.
#[diagnostic::on_unimplemented(
    message = "an access function cannot return `{Self}`",
    label = "neither `Access` nor a future of it that is `Send`",
    note = "return `tool_core::Access::Allow` or `tool_core::Access::deny(\"…\")`",
    note = "a future of it is `Send` if the inputs that it is shown are `Sync`, and what it holds while it waits is `Send`"
)]
pub trait IntoGuard<'a, Marker> {
    /// Converts to a decision.
    fn into_guard(self) -> Guard<'a>;
}

impl<'a> IntoGuard<'a, Access> for Access {
    fn into_guard(self) -> Guard<'a> {
        Guard::Decided(self)
    }
}

/// Marks a future of [`Access`].
#[derive(Debug)]
pub enum Later {}

#[diagnostic::do_not_recommend]
impl<'a, F: Future<Output = Access> + Send + 'a> IntoGuard<'a, Later> for F {
    fn into_guard(self) -> Guard<'a> {
        Guard::Deciding(Box::pin(self))
    }
}

/// Converts the return value of an access function, for the expansion of `access = …`.
pub fn access<'a, Marker>(decision: impl IntoGuard<'a, Marker>) -> Guard<'a> {
    decision.into_guard()
}
