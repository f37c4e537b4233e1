//! Registries whose large results are kept.

use crate::call::{self, Reply};
use crate::definition::ToolDefinition;
use crate::model::future::BoxFuture;
use crate::registry::Registry;
use crate::registry::builder::RegistryBuilder;
use crate::registry::provider::DiscoveryError;
use crate::registry::provider::{IntoToolsProvider, Provider, ToolsProvider, Toolset};
use crate::results::ResultStore;

impl RegistryBuilder {
    /// Keeps what is too large to be shown in this store, and adds the tool `read_result` with which it is read.
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
    /// The same registry, whose calls keep what is too large to be shown in this store. Cheap: it may be done for each call.
    ///
    /// It has the tool `read_result` only if it was added: [`RegistryBuilder::storing`] does both.
    ///
    /// ```
    /// # #[cfg(feature = "results")]
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use tool_core::{Registry, tool, tools};
    /// use tool_core::results::ResultStore;
    ///
    /// /// Counts.
    /// #[tool(operation = Explain)]
    /// fn count_far() -> Vec<u32> {
    ///     (0..20_000).collect()
    /// }
    ///
    /// let store = ResultStore::memory();
    /// let registry = Registry::builder().tools(tools![count_far]).build().unwrap().storing(&store);
    /// let reply = registry.invoke("count_far", b"{}").await;
    /// let preview = reply.preview.unwrap();
    /// let excerpt = preview.excerpts().next().unwrap();
    /// assert!(excerpt.preview().starts_with("[\n0,\n1,\n"));
    /// let kept = store.read(registry.principal(), excerpt.digest().unwrap()).await.unwrap().unwrap();
    /// assert!(kept.text().unwrap().ends_with("19999\n]"));
    /// # });
    /// ```
    #[must_use]
    pub fn storing(&self, results: &ResultStore) -> Self {
        let mut registry = self.clone();
        registry.results = Some(results.clone());
        registry
    }

    /// The same registry, whose calls keep nothing and shorten nothing: for whoever can take a result of any size, such as a
    /// program that reads it. A tool that calls others has it.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.in_full().results().is_none());
    /// ```
    #[must_use]
    pub fn in_full(&self) -> Self {
        let mut registry = self.clone();
        registry.results = None;
        registry
    }

    /// The store that keeps what is too large to be shown, if there is one.
    ///
    /// ```
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.results().is_none());
    /// ```
    pub fn results(&self) -> Option<&ResultStore> {
        self.results.as_ref()
    }

    /// Returns `true` if a call of this tool may be answered with an [`Excerpt`](crate::results::Excerpt) in the place of its value: the
    /// [store](Self::results) keeps the results of this tool, and its output schema does not bound them to what is shown in full.
    ///
    /// ```
    /// # #[cfg(feature = "results")] {
    /// use tool_core::{Registry, tool, tools};
    /// use tool_core::results::ResultStore;
    ///
    /// /// Counts the stars.
    /// #[tool(operation = Read)]
    /// fn count_stars() -> u32 {
    ///     9_096
    /// }
    ///
    /// /// Names the stars.
    /// #[tool(operation = Read)]
    /// fn name_stars() -> Vec<String> {
    ///     vec!["Sirius".to_owned()]
    /// }
    ///
    /// let builder = Registry::builder().tools(tools![count_stars, name_stars]);
    /// let registry = builder.storing(ResultStore::memory()).build().unwrap();
    /// assert!(registry.may_shorten(registry.get("name_stars").unwrap()));
    /// assert!(!registry.may_shorten(registry.get("count_stars").unwrap()));
    /// # }
    /// ```
    pub fn may_shorten(&self, tool: &ToolDefinition) -> bool {
        self.results().is_some_and(|results| results.may_shorten(tool))
    }

    /// Calls a tool, and shows only so much of what it comes to as there is room for.
    pub(super) async fn invoke_storing(&self, results: &ResultStore, name: &str, arguments: &[u8]) -> Reply {
        let known = self.known(name);
        let is_for = known.as_ref().is_ok_and(|known| results.is_for(known.definition));
        let mut reply = match known {
            Ok(member) => call::begin(self.origin(), member, arguments).end().await,
            Err(_) => self.unknown(name, arguments),
        };
        if is_for && results.is_large(&reply.result) {
            reply.preview = results.shorten(&reply.result, self.principal()).await.map(Box::new);
        }
        reply
    }
}

/// Tools whose large results are kept, wherever they come from.
struct Storing {
    provider: Provider,
    results: ResultStore,
}

impl ToolsProvider for Storing {
    fn tools(&self) -> BoxFuture<'_, Result<Toolset, DiscoveryError>> {
        Box::pin(async move { Ok(self.provider.ask().await?.storing(&self.results)) })
    }

    fn is_constant(&self) -> bool {
        self.provider.is_constant()
    }

    fn results(&self) -> Option<ResultStore> {
        Some(self.results.clone())
    }
}

impl ResultStore {
    /// A provider of the same tools, whose calls keep what is too large to be shown in this store. The tool `read_result` is
    /// not among them unless somebody [adds](Self::tool) it.
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
