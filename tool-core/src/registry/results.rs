//! Registries that store large results.

use crate::call::options::CallOptions;
use crate::call::{self, Reply};
use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::registry::Registry;
use crate::registry::builder::RegistryBuilder;
use crate::registry::provider::DiscoveryError;
use crate::registry::provider::{IntoToolsProvider, Provider, ToolsProvider, Toolset};
use crate::results::ResultStore;

impl RegistryBuilder {
    /// Stores results that are too large to be shown in this store, and adds the tool `read_result`, which reads them.
    ///
    /// ```
    /// # #[cfg(feature = "results")] {
    /// use tool_core::Registry;
    /// use tool_core::results::ResultStore;
    ///
    /// let registry = Registry::builder().storing(ResultStore::memory()).build().unwrap();
    /// assert!(registry.get("read_result").is_some());
    /// # }
    /// ```
    pub fn storing(mut self, results: ResultStore) -> Self {
        if self.results.is_none() {
            self = self.tool(results.tool());
        }
        self.results = Some(results);
        self
    }
}

impl Registry {
    /// Calls a tool; a result that is too large is stored and replaced by a preview.
    pub(super) async fn call_storing(
        &self,
        results: &ResultStore,
        name: &str,
        arguments: &[u8],
        options: &CallOptions,
    ) -> Reply {
        let target = self.find(name);
        let is_for = target.as_ref().is_some_and(|target| results.is_for(target.definition));
        let mut reply = match target {
            Some(target) => call::begin(self.origin(options), target, arguments).end().await,
            None => self.unknown(self.origin(options), name, arguments),
        };
        if is_for && results.is_large(&reply.result) {
            reply.preview = results.shorten(&reply.result, self.principal()).await.map(Box::new);
        }
        reply
    }
}

/// A provider whose tools store large results.
struct Storing {
    provider: Provider,
    results: ResultStore,
}

impl ToolsProvider for Storing {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(async move { Ok(self.provider.ask(caller).await?.storing(&self.results)) })
    }

    fn is_constant(&self) -> bool {
        self.provider.is_constant()
    }

    fn results(&self) -> Option<ResultStore> {
        Some(self.results.clone())
    }
}

impl ResultStore {
    /// Returns a provider of the same tools whose large results are stored in this store. It does not add the tool
    /// `read_result`, see [`ResultStore::tool`].
    ///
    /// ```
    /// # #[cfg(feature = "results")] {
    /// use tool_core::Registry;
    /// use tool_core::results::ResultStore;
    ///
    /// let store = ResultStore::memory();
    /// let remote = || async { Registry::builder().allow_empty().build() };
    /// let reader = Registry::builder().tool(store.tool()).build().unwrap();
    /// let provider = store.wrap(reader.providing(remote));
    /// # }
    /// ```
    pub fn wrap<Marker>(&self, provider: impl IntoToolsProvider<Marker>) -> Provider {
        Provider::new(Storing { provider: provider.into_provider(), results: self.clone() })
    }
}
