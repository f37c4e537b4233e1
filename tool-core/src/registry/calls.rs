//! Calls: every one goes through the one pipeline.

use serde_json::Value;

use crate::call::target::Target;
use crate::call::{self, Reply, Started};
use crate::model::audit_kind::AuditKind;
use crate::model::failure::Failure;
use crate::model::output::Output;
use crate::registry::Registry;
use crate::schema::leniency::Validation;

impl Registry {
    /// Calls a tool with the text of its arguments, as an adapter receives it. Nothing at all counts as `{}`.
    ///
    /// When the future is dropped, a tool that modifies nothing is dropped with it; a modifying one runs to its end.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let reply = registry.invoke("nope", b"{}").await;
    /// assert_eq!(reply.result.unwrap_err().message(), "Tool not found: nope");
    /// # });
    /// ```
    pub async fn invoke(&self, name: &str, arguments: &[u8]) -> Reply {
        #[cfg(feature = "tokio")]
        if let Some(results) = &self.results {
            // Out of the way of calls that keep nothing.
            return Box::pin(self.invoke_storing(results, name, arguments)).await;
        }
        match self.known(name) {
            Ok(member) => match call::begin(self.origin(), member, arguments) {
                // Most calls need not wait, and are spared what waiting takes.
                Started::Ended(reply) => reply,
                begun => begun.end().await,
            },
            Err(_) => self.unknown(name, arguments),
        }
    }

    /// Answers a call of a tool that does not exist.
    pub(super) fn unknown(&self, name: &str, arguments: &[u8]) -> Reply {
        call::unknown(self.inner.audit.as_ref(), &self.caller, AuditKind::Tool, name, arguments)
    }

    /// Answers a call with the failure for which an adapter does not make it, as one that nobody confirmed, and records
    /// it as every other call. What the call itself would be refused for comes first: this failure is for whoever might
    /// make it.
    ///
    /// ```
    /// use tool_core::{Failure, FailureKind};
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let failure = Failure::new(FailureKind::Disabled, "nobody confirmed it");
    /// let reply = registry.refuse("nope", b"{}", failure);
    /// assert_eq!(reply.result.unwrap_err().kind(), FailureKind::NotFound);
    /// ```
    pub fn refuse(&self, name: &str, arguments: &[u8], failure: Failure) -> Reply {
        let Ok(member) = self.known(name) else {
            return self.unknown(name, arguments);
        };
        let Target { definition, home, .. } = member;
        let authorize = home.admission.admit(definition, &home.states, &self.caller.principal);
        call::refused(&self.caller, member, arguments, authorize.err().unwrap_or(failure))
    }

    /// Calls a tool, as the tests of an application do.
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
        self.invoke(name, arguments.as_bytes()).await.result
    }

    /// Checks the text of the arguments for a tool, and runs nothing; tells what was repaired in valid ones.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the arguments, as a call would tell it. Nothing else is asked: neither whether the
    /// call would be [let in](Registry::check_access), nor what is injected, nor an access function.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.validate("nope", b"{}").is_err());
    /// ```
    pub fn validate(&self, name: &str, arguments: &[u8]) -> Result<Validation, Failure> {
        let Target { definition, written, home, .. } = self.known(name)?;
        call::validate(definition, written, &home.states, home.leniency, arguments)
    }

    /// Checks the text of the arguments for a tool as [`validate`](Registry::validate) does, for an adapter that serves many
    /// callers: arguments that take long to check wait for their turn and for a thread as a call does
    /// ([`RegistryBuilder::concurrency`](crate::RegistryBuilder::concurrency), [`RegistryBuilder::blocking_threads`](crate::RegistryBuilder::blocking_threads)).
    ///
    /// # Errors
    ///
    /// Those of [`validate`](Registry::validate). [`Busy`](crate::FailureKind::Busy) and
    /// [`Timeout`](crate::FailureKind::Timeout) as for a call, if the arguments take long to check.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.validate_limited("nope", b"{}").await.is_err());
    /// # });
    /// ```
    #[cfg(feature = "tokio")]
    pub async fn validate_limited(&self, name: &str, arguments: &[u8]) -> Result<Validation, Failure> {
        call::validate_limited(&self.caller, self.known(name)?, arguments).await
    }
}
