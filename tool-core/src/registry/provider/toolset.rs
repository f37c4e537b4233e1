//! The tools that a provider has at one moment.

use std::collections::HashMap;
use std::sync::Arc;

#[cfg(feature = "tokio")]
use crate::call::options::CallOptions;
use crate::definition::{DefinitionError, ToolDefinition};
use crate::registry::Registry;
use crate::registry::provider::discovery::DiscoveryError;

/// The tools that a provider has at one moment: a registry of those that can be served, and what was left out.
///
/// It does not change: a listing and the calls that follow from it see the same tools, whatever the provider does
/// meanwhile. Cheap to clone.
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
    origins: Arc<Origins>,
    /// The names of the providers, in their order.
    providers: Arc<[String]>,
}

/// Which provider each tool came from; empty where that is not known.
#[derive(Debug, Default)]
struct Origins {
    names: Vec<String>,
    /// The position of its name, by that of the tool.
    of: Vec<u32>,
}

impl Toolset {
    pub(crate) fn new(registry: Registry, skipped: Vec<Skipped>) -> Self {
        Toolset { registry, skipped, origins: Arc::default(), providers: Arc::default() }
    }

    /// The tools, as the local caller sees them: [`Registry::as_principal`] for another.
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

    /// What the provider has and cannot be served, in the order in which it was found.
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

    /// The name of the provider that a tool came from, where there are [several](crate::provider::Providers).
    ///
    /// ```
    /// use tool_core::{DynamicTool, Output, Tool, ToolDefinition};
    /// use tool_core::provider::{IntoToolsProvider, Providers};
    /// # use std::sync::Arc;
    /// let list = || -> Vec<Arc<dyn Tool>> {
    ///     let definition = ToolDefinition::builder("tell_price", "Tells the price.").build().unwrap();
    ///     vec![Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::text("5")) }))]
    /// };
    /// # tool_core::private::block_on(async {
    /// let tools = Providers::new().with("shop", list).into_provider().tools().await.unwrap();
    /// assert_eq!(tools.provider("tell_price"), Some("shop"));
    /// assert_eq!(tools.provider("nope"), None);
    /// # });
    /// ```
    pub fn provider(&self, tool: &str) -> Option<&str> {
        let (position, found) = self.registry.position(tool)?;
        // Not by its alias.
        if found.name() == tool { self.provider_at(position) } else { None }
    }

    /// The same for the tool at this position among all that are [definitions](crate::adapter::definitions).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tool_core::{DynamicTool, Output, Tool, ToolDefinition};
    /// # use tool_core::provider::{IntoToolsProvider, Providers};
    /// # let list = || -> Vec<Arc<dyn Tool>> {
    /// #     let definition = ToolDefinition::builder("tell_price", "Tells the price.").build().unwrap();
    /// #     vec![Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::text("5")) }))]
    /// # };
    /// # tool_core::private::block_on(async {
    /// let tools = Providers::new().with("shop", list).into_provider().tools().await.unwrap();
    /// assert_eq!((tools.provider_at(0), tools.provider_at(1)), (Some("shop"), None));
    /// # });
    /// ```
    pub fn provider_at(&self, position: usize) -> Option<&str> {
        let Origins { names, of } = &*self.origins;
        names.get(usize::try_from(*of.get(position)?).ok()?).map(String::as_str)
    }

    /// The names of the providers, where there are [several](crate::provider::Providers), in the order in which they were added: of all,
    /// also of those that have no tools at the moment or have failed. A provider that is made of several stands for these.
    ///
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::provider::{IntoToolsProvider, Providers};
    ///
    /// # tool_core::private::block_on(async {
    /// let fails = || Err::<Registry, _>(std::io::Error::other("no route to host"));
    /// let own = Registry::builder().allow_empty().build().unwrap();
    /// let tools = Providers::new().with_optional("remote", fails).with("own", own).into_provider().tools().await.unwrap();
    /// assert_eq!(tools.providers().collect::<Vec<_>>(), ["remote", "own"]);
    /// # });
    /// ```
    pub fn providers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.providers.iter().map(String::as_str)
    }

    /// The same, whose tools came from these providers, or from those that they are made of: the first that has a tool is
    /// where it came from.
    pub(crate) fn coming_from<'p>(mut self, providers: impl Iterator<Item = (&'p str, &'p Toolset)>) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut known: HashMap<&str, u32> = HashMap::new();
        // Its tools are theirs: each is known by where it lies, and need not be looked at.
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
                of[place] = *known.entry(provider).or_insert_with(|| {
                    names.push(provider);
                    names.len() as u32 - 1
                });
            }
        }
        let names = names.into_iter().map(str::to_owned).collect();
        self.origins = Arc::new(Origins { names, of });
        self
    }

    /// The same, whose tools came from where they came from in the other one.
    pub(crate) fn found_like(mut self, other: &Self) -> Self {
        let Origins { names, .. } = &*other.origins;
        let origin = |tool: &ToolDefinition| {
            let (position, found) = other.registry.position(tool.name())?;
            other.origins.of.get(position).copied().filter(|_| found.name() == tool.name())
        };
        let of = self.registry.definitions().map(|tool| origin(tool).unwrap_or(u32::MAX)).collect();
        self.origins = Arc::new(Origins { names: names.clone(), of });
        self.providers = Arc::clone(&other.providers);
        self
    }

    /// The same, by providers of these names.
    pub(crate) fn by(mut self, providers: Vec<String>) -> Self {
        self.providers = providers.into();
        self
    }

    /// The same, with more left out.
    pub(crate) fn without(mut self, skipped: Vec<Skipped>) -> Self {
        self.skipped.extend(skipped);
        self
    }

    /// The same tools, whose calls keep what is too large to be shown.
    #[cfg(feature = "tokio")]
    pub(crate) fn storing(mut self, results: &crate::results::ResultStore) -> Self {
        self.registry = self.registry.with_options(&CallOptions::new().results(results));
        self
    }

    pub(crate) fn into_registry(self) -> Registry {
        self.registry
    }

    /// The tools of all of these, of which the first stands for the local caller and before the others where two tools
    /// have one name.
    pub(crate) fn joined(toolsets: Vec<Toolset>) -> Self {
        let mut skipped = Vec::new();
        let mut registries = Vec::new();
        for toolset in toolsets {
            skipped.extend(toolset.skipped);
            registries.push(toolset.registry);
        }
        Registry::joined(&registries, skipped)
    }

    /// Whether the other one is the same list, and not only an equal one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.registry.same_view(&other.registry) && self.skipped == other.skipped
    }
}

impl From<Registry> for Toolset {
    fn from(registry: Registry) -> Self {
        Toolset::new(registry, Vec::new())
    }
}

/// What a provider has and cannot be served. One bad tool does not empty the catalogue: the others are served.
///
/// ```
/// use tool_core::provider::Skipped;
///
/// let twin = Skipped::Duplicate { name: "add".into(), kept: "a.rs:1".into(), left_out: "b.rs:2".into() };
/// assert_eq!(twin.to_string(), "a second tool of the name `add`, from b.rs:2: the one from a.rs:1 is served");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Skipped {
    /// A tool whose definition was refused.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// A tool that panicked when it was asked for its definition.
    #[error("a tool that panicked when it was asked for its definition")]
    NoDefinition,
    /// A tool whose name or alias leads to another one already. The first of a list, and of the first provider, is served.
    #[error("a second tool of the name `{name}`, from {skipped}: the one from {kept} is served")]
    Duplicate {
        /// The name or alias.
        name: String,
        /// Where the tool that is served comes from.
        kept: String,
        /// Where the other one comes from.
        skipped: String,
    },
    /// A prompt whose name another one has already.
    #[error("a second prompt of the name `{name}`, from {skipped}: the one from {kept} is served")]
    DuplicatePrompt {
        /// The name.
        name: String,
        /// Where the prompt that is served comes from.
        kept: String,
        /// Where the other one comes from.
        skipped: String,
    },
    /// A tool that lives where another one does already, so that one path could mean either.
    #[error("{skipped} lives where {kept} does")]
    Address {
        /// The tool that is served, and its address.
        kept: String,
        /// The other one.
        skipped: String,
    },
    /// All tools of a provider that failed, and whose failure was to be reported and no more.
    #[error(transparent)]
    Provider(DiscoveryError),
}
