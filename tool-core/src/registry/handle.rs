//! The principal and the options of a registry.

use std::sync::Arc;

use crate::call::options::{CallOptions, CallOrigin, NO_CALL_OPTIONS};
use crate::model::access::Principal;
use crate::model::extensions::Extensions;
use crate::registry::Registry;
#[cfg(feature = "tokio")]
use crate::results::ResultStore;

impl Registry {
    /// Returns the principal that calls through this registry.
    ///
    /// ```
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.principal().id(), Some("local"));
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns the same registry for another principal: it lists what that principal may see, and makes the calls of that
    /// principal.
    ///
    /// A registry that was just built has the local principal, see [`RegistryBuilder::local`](crate::RegistryBuilder::local).
    ///
    /// ```
    /// use tool_core::{Principal, Registry};
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// let ada = registry.as_principal(Principal::new("ada").grant("node.edit"));
    /// assert_eq!(ada.principal().id(), Some("ada"));
    /// ```
    #[must_use]
    pub fn as_principal(&self, principal: Principal) -> Self {
        Registry { inner: Arc::clone(&self.inner), principal, options: self.options.clone() }
    }

    /// Returns the same registry with these options for every call. They take precedence over options that it has already;
    /// options that are passed to [`call_with`](Self::call_with) take precedence over these.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// use tool_core::{CallOptions, Context, Extensions, Registry, tool, tools};
    ///
    /// struct Locale(&'static str);
    ///
    /// /// Returns the language of the caller.
    /// #[tool(operation = Explain)]
    /// fn tell_language(#[inject] context: Context) -> String {
    ///     context.extension::<Locale>().map_or("none", |locale| locale.0).to_owned()
    /// }
    ///
    /// let registry = Registry::builder().tools(tools![tell_language]).build().unwrap();
    /// let german = CallOptions::new().extensions(Extensions::new().with(Locale("de")));
    /// let registry = registry.with_options(&german);
    /// assert_eq!(registry.call("tell_language", serde_json::json!({})).await.unwrap().value(), "de");
    /// # });
    /// ```
    #[must_use]
    pub fn with_options(&self, options: &CallOptions) -> Self {
        let options = options.or(self.options());
        Registry { options: Some(Arc::new(options)), ..self.clone() }
    }

    /// Returns the default options of calls.
    pub(super) fn options(&self) -> &CallOptions {
        self.options.as_deref().unwrap_or(&NO_CALL_OPTIONS)
    }

    /// Returns these options, completed by those of the registry; `None` if the registry has none.
    ///
    /// They are boxed to keep calls without options small.
    #[inline]
    pub(super) fn completed(&self, options: &CallOptions) -> Option<Box<CallOptions>> {
        self.options.as_deref().map(|defaults| Box::new(options.or(defaults)))
    }

    /// Returns the origin of a call: its principal and options.
    pub(super) fn origin<'c>(&'c self, options: &'c CallOptions) -> CallOrigin<'c> {
        CallOrigin { principal: &self.principal, options, registry: self }
    }

    /// Returns the extensions of every call.
    pub(super) fn extensions(&self) -> Option<&Arc<Extensions>> {
        self.options().context.extensions.as_ref()
    }

    /// Returns the store for large results, if there is one.
    #[cfg(feature = "tokio")]
    pub(crate) fn store(&self) -> Option<&ResultStore> {
        self.options().store()
    }
}
