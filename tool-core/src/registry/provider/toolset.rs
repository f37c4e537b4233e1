//! The tools that a provider has at one moment.

use std::collections::HashMap;
use std::sync::Arc;

#[cfg(feature = "tokio")]
use crate::call::options::CallOptions;
use crate::definition::{DefinitionError, ToolDefinition};
use crate::registry::Registry;
use crate::registry::provider::discovery::DiscoveryError;

/// The tools of a provider at one moment: a registry of the tools that can be served, and the tools that were skipped.
///
/// A toolset does not change: a list and the calls that follow use the same tools. Clones are cheap.
///
/// ```
/// use tool_core::Registry;
/// use tool_core::provider::Toolset;
///
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// let tools = Toolset::from(registry);
/// assert_eq!(tools.registry().tools().count(), 0);
/// assert!(tools.skipped().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Toolset {
    registry: Registry,
    skipped: Vec<Skipped>,
    /// `None` if there is one provider, which has no name.
    origins: Option<Arc<Origins>>,
    /// The names of the providers, in their order.
    providers: Arc<[String]>,
}

/// The provider of each tool.
#[derive(Debug)]
struct Origins {
    names: Vec<String>,
    /// For each tool the position of the name of its provider.
    of: Vec<u32>,
}

impl Toolset {
    pub(crate) fn new(registry: Registry, skipped: Vec<Skipped>) -> Self {
        Toolset { registry, skipped, origins: None, providers: Arc::default() }
    }

    /// Returns the tools, for the local principal. Use [`Registry::as_principal`] for another one.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Toolset;
    /// let tools = Toolset::from(Registry::builder().allow_empty().build().unwrap());
    /// assert!(tools.registry().get("nope").is_none());
    /// ```
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns what the provider has and cannot be served, in the order in which it was found.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// # use tool_core::provider::Toolset;
    /// # let tools = Toolset::from(Registry::builder().allow_empty().build().unwrap());
    /// for left_out in tools.skipped() {
    ///     eprintln!("{left_out}");
    /// }
    /// ```
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Returns the name of the provider that a tool came from, if there are [several](crate::provider::Providers).
    ///
    /// ```
    /// use tool_core::{DynamicTool, Output, Principal, Tool, ToolDefinition};
    /// use tool_core::provider::{IntoToolsProvider, Providers};
    /// # use std::sync::Arc;
    /// let list = || -> Vec<Arc<dyn Tool>> {
    ///     let definition = ToolDefinition::builder("tell_price", "Tells the price.").build().unwrap();
    ///     vec![Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::text("5")) }))]
    /// };
    /// # tool_core::private::block_on(async {
    /// let tools = Providers::new().with("shop", list).into_provider().tools(&Principal::anonymous()).await.unwrap();
    /// assert_eq!(tools.provider("tell_price"), Some("shop"));
    /// assert_eq!(tools.provider("nope"), None);
    /// # });
    /// ```
    pub fn provider(&self, tool: &str) -> Option<&str> {
        let (position, found) = self.registry.position(tool)?;
        // Not by its alias.
        if found.name() == tool { self.provider_at(position) } else { None }
    }

    /// Returns the provider of the tool at this position among the [definitions](crate::adapter::definitions).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tool_core::{DynamicTool, Output, Principal, Tool, ToolDefinition};
    /// # use tool_core::provider::{IntoToolsProvider, Providers};
    /// # let list = || -> Vec<Arc<dyn Tool>> {
    /// #     let definition = ToolDefinition::builder("tell_price", "Tells the price.").build().unwrap();
    /// #     vec![Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::text("5")) }))]
    /// # };
    /// # tool_core::private::block_on(async {
    /// let tools = Providers::new().with("shop", list).into_provider().tools(&Principal::anonymous()).await.unwrap();
    /// assert_eq!((tools.provider_at(0), tools.provider_at(1)), (Some("shop"), None));
    /// # });
    /// ```
    pub fn provider_at(&self, position: usize) -> Option<&str> {
        let Origins { names, of } = self.origins.as_deref()?;
        names.get(usize::try_from(*of.get(position)?).ok()?).map(String::as_str)
    }

    /// Returns the names of all providers in the order in which they were added, if there are
    /// [several](crate::provider::Providers), including providers that have no tools or have failed. A provider that is made of
    /// several is replaced by their names.
    ///
    /// ```
    /// use tool_core::{Principal, Registry};
    /// use tool_core::provider::{IntoToolsProvider, Providers};
    ///
    /// # tool_core::private::block_on(async {
    /// let fails = || Err::<Registry, _>(std::io::Error::other("no route to host"));
    /// let own = Registry::builder().allow_empty().build().unwrap();
    /// let tools = Providers::new().with_optional("remote", fails).with("own", own).into_provider().tools(&Principal::anonymous()).await.unwrap();
    /// assert_eq!(tools.providers().collect::<Vec<_>>(), ["remote", "own"]);
    /// # });
    /// ```
    pub fn providers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.providers.iter().map(String::as_str)
    }

    /// Sets the provider of each tool: the first of these providers that has the tool.
    pub(crate) fn coming_from<'p>(mut self, providers: impl Iterator<Item = (&'p str, &'p Toolset)>) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut indexes: HashMap<&str, u32> = HashMap::new();
        // A tool is identified by the address of its definition, without comparing anything.
        let places: HashMap<(usize, u32), usize> =
            self.registry.definitions().enumerate().map(|(place, tool)| (tool.address(), place)).collect();
        let mut of = vec![u32::MAX; self.registry.definitions().len()];
        for (provider, tools) in providers {
            for (position, tool) in tools.registry.definitions().enumerate() {
                let Some(place) = places.get(&tool.address()).copied() else { continue };
                if of[place] != u32::MAX {
                    continue;
                }
                let provider = tools.provider_at(position).unwrap_or(provider);
                of[place] = *indexes.entry(provider).or_insert_with(|| {
                    names.push(provider);
                    names.len() as u32 - 1
                });
            }
        }
        let names = names.into_iter().map(str::to_owned).collect();
        self.origins = Some(Arc::new(Origins { names, of }));
        self
    }

    /// Sets the provider of each tool to that of the same tool in `other`.
    pub(crate) fn found_like(mut self, other: &Self) -> Self {
        self.origins = other.origins.as_deref().map(|Origins { names, of }| {
            let origin = |tool: &ToolDefinition| {
                let (position, found) = other.registry.position(tool.name())?;
                of.get(position).copied().filter(|_| found.name() == tool.name())
            };
            let of = self.registry.definitions().map(|tool| origin(tool).unwrap_or(u32::MAX)).collect();
            Arc::new(Origins { names: names.clone(), of })
        });
        self.providers = Arc::clone(&other.providers);
        self
    }

    /// Sets the names of the providers.
    pub(crate) fn by(mut self, providers: Vec<String>) -> Self {
        self.providers = providers.into();
        self
    }

    /// Adds skipped tools.
    pub(crate) fn without(mut self, skipped: Vec<Skipped>) -> Self {
        self.skipped.extend(skipped);
        self
    }

    /// Stores large results of these tools in this store.
    #[cfg(feature = "tokio")]
    pub(crate) fn storing(mut self, results: &crate::results::ResultStore) -> Self {
        self.registry = self.registry.with_options(&CallOptions::new().results(results));
        self
    }

    pub(crate) fn into_registry(self) -> Registry {
        self.registry
    }

    /// Joins these tools. The first toolset determines the local principal and has precedence if two tools have the same name.
    pub(crate) fn joined(toolsets: Vec<Toolset>) -> Self {
        let mut skipped = Vec::new();
        let mut registries = Vec::new();
        for toolset in toolsets {
            skipped.extend(toolset.skipped);
            registries.push(toolset.registry);
        }
        Registry::joined(&registries, skipped)
    }

    /// Returns `true` if both are the same list.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.registry.same_view(&other.registry) && self.skipped == other.skipped
    }
}

impl From<Registry> for Toolset {
    fn from(registry: Registry) -> Self {
        Toolset::new(registry, Vec::new())
    }
}

/// Something that a provider has and that cannot be served. The other tools are served.
///
/// ```
/// use tool_core::provider::Skipped;
///
/// let twin = Skipped::Duplicate { name: "add".into(), kept: "a.rs:1".into(), skipped: "b.rs:2".into() };
/// assert_eq!(twin.to_string(), "a second tool of the name `add`, from b.rs:2: the one from a.rs:1 is served");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Skipped {
    /// A tool with an invalid definition.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A tool that panicked in [`Tool::definition`](crate::Tool::definition).
    #[error("a dynamic tool that panicked in `Tool::definition`")]
    NoDefinition,
    /// A tool whose name or alias another tool has. The first one in the order of lists and providers is served.
    #[error("a second tool of the name `{name}`, from {skipped}: the one from {kept} is served")]
    Duplicate {
        /// The name or alias.
        name: String,
        /// The location of the tool that is served.
        kept: String,
        /// The location of the other tool.
        skipped: String,
    },
    /// A prompt whose name another prompt has.
    #[error("a second prompt of the name `{name}`, from {skipped}: the one from {kept} is served")]
    DuplicatePrompt {
        /// The name.
        name: String,
        /// The location of the prompt that is served.
        kept: String,
        /// The location of the other prompt.
        skipped: String,
    },
    /// A tool whose address collides with that of another tool: one path could mean either.
    #[error("the address of {skipped} collides with that of {kept}: set another `path`")]
    Address {
        /// The tool that is served, with its address.
        kept: String,
        /// The other one.
        skipped: String,
    },
    /// All tools of an optional provider that failed.
    #[error(transparent)]
    Provider(DiscoveryError),
}
