//! Calls of tools: all of them go through the one pipeline.

use serde_json::Value;

use crate::call::options::{CallOptions, CallOrigin, NO_CALL_OPTIONS};
use crate::call::target::Target;
use crate::call::{self, Reply, Started};
use crate::model::audit_kind::AuditKind;
use crate::model::failure::Failure;
use crate::model::output::Output;
use crate::registry::Registry;
use crate::schema::leniency::Validation;

impl Registry {
    /// Calls a tool, for tests of an application.
    ///
    /// # Errors
    ///
    /// The failure of the call.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.call("nope", serde_json::json!({})).await.is_err());
    /// # });
    /// ```
    pub async fn call(&self, name: &str, arguments: Value) -> Result<Output, Failure> {
        let arguments = arguments.to_string();
        self.call_with(name, arguments.as_bytes(), &NO_CALL_OPTIONS).await.result
    }

    /// Calls a tool with the JSON text of its arguments, as an adapter does. An empty text counts as `{}`.
    ///
    /// When the future is dropped, a tool that modifies nothing is canceled; a modifying one runs to its end.
    ///
    /// ```
    /// use tool_core::CallOptions;
    ///
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let reply = registry.call_with("nope", b"{}", &CallOptions::new()).await;
    /// assert_eq!(reply.result.unwrap_err().message(), "Tool not found: nope");
    /// # });
    /// ```
    pub async fn call_with(&self, name: &str, arguments: &[u8], options: &CallOptions) -> Reply {
        let completed = self.completed(options);
        let options = completed.as_deref().unwrap_or(options);
        #[cfg(feature = "tokio")]
        if let Some(store) = options.store() {
            return Box::pin(self.call_storing(store, name, arguments, options)).await;
        }
        let origin = self.origin(options);
        match self.find(name) {
            Some(target) => match call::begin(origin, target, arguments) {
                // Most calls end without waiting.
                Started::Ended(reply) => reply,
                started => started.end().await,
            },
            None => self.unknown(origin, name, arguments),
        }
    }

    /// Replies to a call of a tool that does not exist.
    pub(super) fn unknown(&self, origin: CallOrigin<'_>, name: &str, arguments: &[u8]) -> Reply {
        let failure = self.tool_not_found(name);
        call::unknown(self.inner.audit.as_ref(), origin, AuditKind::Tool, name, arguments, failure)
    }

    /// Validates the JSON text of the arguments for a tool without calling it. Returns the coercions that make them valid.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the arguments, as a call would report it. Neither the [access](Registry::check_access)
    /// to the tool nor injected values are checked, and no access function is called.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.validate("nope", b"{}").is_err());
    /// ```
    pub fn validate(&self, name: &str, arguments: &[u8]) -> Result<Validation, Failure> {
        let Target { definition, implementation, scope, .. } = self.find_or_fail(name)?;
        call::validate(definition, implementation, &scope.states, scope.leniency, arguments)
    }
}
