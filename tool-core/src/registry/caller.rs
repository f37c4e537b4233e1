//! A registry in the hands of a caller: who calls, and what stands beside the calls.

use std::sync::Arc;

use crate::context::Caller;
use crate::context::elicitation::{ClientRequests, ElicitationClient};
use crate::context::extensions::Extensions;
use crate::context::logging::{LogHandle, LogSink};
use crate::context::progress::{ProgressHandle, ProgressSink};
use crate::model::access::Principal;
use crate::model::trace::TraceParent;
use crate::registry::Registry;

impl Registry {
    /// The same registry for another caller: what is listed is what that caller may see, and each call is its own.
    ///
    /// Without it, the caller is the local one, with what [`RegistryBuilder::local`](crate::RegistryBuilder::local) granted.
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
        let caller = Caller { principal, ..self.caller.clone() };
        Registry { caller, ..self.clone() }
    }

    /// The same registry, for calls that are part of a trace. Cheap: it is done for each call.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    /// let registry = registry.traced(header.parse().unwrap());
    /// registry.invoke("nope", b"{}").await;
    /// # });
    /// ```
    #[must_use]
    pub fn traced(&self, trace: TraceParent) -> Self {
        let mut registry = self.clone();
        registry.caller.trace = Some(trace);
        registry
    }

    /// The same registry, for calls with these values beside them, which a tool reads with
    /// [`Context::extension`](crate::Context::extension). Cheap: it is done for each call.
    ///
    /// ```
    /// use tool_core::{Context, Extensions, Registry, tool};
    ///
    /// struct Locale(&'static str);
    ///
    /// /// The language of the caller.
    /// #[tool(operation = Explain)]
    /// fn tell_language(#[inject] context: Context) -> String {
    ///     context.extension::<Locale>().map_or("none", |locale| locale.0).to_owned()
    /// }
    ///
    /// # tool_core::private::block_on(async {
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "tell_language").build().unwrap();
    /// let german = registry.with_extensions(Extensions::new().with(Locale("de")));
    /// assert_eq!(german.call("tell_language", serde_json::json!({})).await.unwrap().value(), "de");
    /// # });
    /// ```
    #[must_use]
    pub fn with_extensions(&self, extensions: impl Into<Arc<Extensions>>) -> Self {
        let mut registry = self.clone();
        registry.caller.extensions = Some(extensions.into());
        registry
    }

    /// The same registry, with these laid over what stands beside its calls: where both have a value of a type, the one of
    /// these counts. Cheap: it is done for each call.
    ///
    /// An adapter puts what it knows of a request beside the call, and keeps what the application put there.
    ///
    /// ```
    /// # tool_core::private::block_on(async {
    /// use tool_core::{Context, Extensions, Registry, tool};
    ///
    /// #[derive(Clone)]
    /// struct Locale(&'static str);
    ///
    /// /// The locale of the caller.
    /// #[tool(operation = Explain)]
    /// fn tell_locale(#[inject] context: Context) -> String {
    ///     context.extension::<Locale>().map_or("none", |locale| locale.0).to_owned()
    /// }
    ///
    /// let registry = Registry::builder().linked().select(|tool| tool.name() == "tell_locale").build().unwrap();
    /// let german = registry.with_extensions(Extensions::new().with(Locale("de")));
    /// let other = german.layer_extensions(Extensions::new().with(5_u8));
    /// assert_eq!(other.call("tell_locale", serde_json::json!({})).await.unwrap().value(), "de");
    /// let english = german.layer_extensions(Extensions::new().with(Locale("en")));
    /// assert_eq!(english.call("tell_locale", serde_json::json!({})).await.unwrap().value(), "en");
    /// # });
    /// ```
    #[must_use]
    pub fn layer_extensions(&self, extensions: Extensions) -> Self {
        self.with_extensions(extensions.over(self.caller.extensions.as_ref()))
    }

    /// The same registry, for calls that tell this sink how far they have come. Cheap: it is done for each call.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::progress::Progress;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let registry = registry.reporting(Arc::new(|progress: &Progress<'_>| eprintln!("{}", progress.message)));
    /// ```
    #[must_use]
    pub fn reporting(&self, sink: Arc<dyn ProgressSink>) -> Self {
        let mut registry = self.clone();
        registry.caller.progress = Some(ProgressHandle::new(sink));
        registry
    }

    /// The same registry, for calls that this sink hears of what they have to say. Cheap: it is done for each call.
    ///
    /// Without it, what calls have to say is in the log of the program ([`tracing`](https://docs.rs/tracing)), under the
    /// target `tool_core::log`, with the tool and the identifier of the call.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::logging::LogMessage;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let registry = registry.logging(Arc::new(|message: &LogMessage<'_>| eprintln!("{}", message.text())));
    /// ```
    #[must_use]
    pub fn logging(&self, sink: Arc<dyn LogSink>) -> Self {
        let mut registry = self.clone();
        registry.caller.log = Some(LogHandle::new(sink));
        registry
    }

    /// The same registry, for calls whose questions this asker puts to the caller. Cheap: it is done for each call.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::testing::Answers;
    ///
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// let registry = registry.asking(Arc::new(Answers::new().decline()));
    /// ```
    #[must_use]
    pub fn asking(&self, asker: Arc<dyn ClientRequests>) -> Self {
        self.with_asking(ElicitationClient::Direct(asker))
    }

    pub(crate) fn with_asking(&self, asking: ElicitationClient) -> Self {
        let mut registry = self.clone();
        registry.caller.client = Some(asking);
        registry
    }

    /// Who calls.
    ///
    /// ```
    /// let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(registry.principal().id(), Some("local"));
    /// ```
    pub fn principal(&self) -> &Principal {
        &self.caller.principal
    }
}
