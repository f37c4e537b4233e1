//! Providers: where an adapter gets its tools from. A provider is a fixed registry, or a source that is queried on every
//! request.

#[cfg(feature = "tokio")]
mod cached;
mod discovery;
mod into;
mod keyed;
mod providers;
mod skipped_log;
mod toolset;

use std::error::Error as _;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

#[cfg(feature = "tokio")]
pub use cached::Cached;
pub use discovery::{DiscoveryError, IntoTools};
pub use into::{IntoToolsProvider, ToolSource, marker};
pub use keyed::Keyed;
pub use providers::Providers;
pub use toolset::{Skipped, Toolset};

use crate::model::access::Principal;
use crate::model::catch_panic::{Panicked, catch_panic, catch_panic_future};
use crate::model::future::BoxFuture;
use crate::registry::Registry;
use crate::registry::provider::skipped_log::SkippedLog;

/// A source of tools, which may have other tools at the next request, and other tools for another caller.
///
/// An adapter queries its provider on every request and caches nothing unless the provider is [`Cached`]. Few applications
/// implement this trait: a [`Registry`] is a provider, and a list, a function or an `async` function is converted by
/// [`IntoToolsProvider`]. For a catalog of each tenant, see [`Keyed`].
///
/// ```
/// use tool_core::{BoxFuture, Principal, Registry};
/// use tool_core::provider::{DiscoveryError, IntoToolsProvider, ToolsProvider, Toolset};
///
/// /// Has tools on working days.
/// struct Office {
///     registry: Registry,
///     open: bool,
/// }
///
/// impl ToolsProvider for Office {
///     fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
///         Box::pin(async {
///             if self.open { Ok(self.registry.clone().into()) } else { Err(DiscoveryError::new("it is closed")) }
///         })
///     }
/// }
///
/// # tool_core::private::block_on(async {
/// let registry = Registry::builder().allow_empty().build().unwrap();
/// let office = Office { registry, open: false }.into_provider();
/// let caller = Principal::anonymous();
/// assert_eq!(office.tools(&caller).await.unwrap_err().to_string(), "it is closed");
/// # });
/// ```
pub trait ToolsProvider: Send + Sync {
    /// Returns the current tools for a caller: one consistent list, which a call uses to its end.
    ///
    /// What the caller may do with these tools is decided later, by [`Registry::as_principal`]. Adapters pass
    /// [`Principal::local`] for the local user, and [`Principal::anonymous`] for what is public, such as the permissions in
    /// the metadata of a server.
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>>;

    /// Returns `true` if the tools never change, so that a list of them may be cached. The default is `false`.
    ///
    /// ```
    /// use tool_core::Registry;
    /// use tool_core::provider::ToolsProvider as _;
    ///
    /// let registry = Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.is_constant());
    /// ```
    fn is_constant(&self) -> bool {
        false
    }

    /// Returns the store for large results of these tools, if there is one: results stay readable while the tools cannot be
    /// listed.
    #[cfg(feature = "tokio")]
    fn results(&self) -> Option<crate::results::ResultStore> {
        None
    }
}

impl ToolsProvider for Registry {
    fn is_constant(&self) -> bool {
        true
    }

    fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(ready(Ok(self.clone().into())))
    }

    #[cfg(feature = "tokio")]
    fn results(&self) -> Option<crate::results::ResultStore> {
        self.store().cloned()
    }
}

impl ToolsProvider for Toolset {
    fn is_constant(&self) -> bool {
        true
    }

    fn tools<'a>(&'a self, _: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(ready(Ok(self.clone())))
    }

    #[cfg(feature = "tokio")]
    fn results(&self) -> Option<crate::results::ResultStore> {
        self.registry().store().cloned()
    }
}

/// A provider that the application shares, for example to refresh it.
impl<P: ToolsProvider + ?Sized> ToolsProvider for Arc<P> {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        (**self).tools(caller)
    }

    fn is_constant(&self) -> bool {
        (**self).is_constant()
    }

    #[cfg(feature = "tokio")]
    fn results(&self) -> Option<crate::results::ResultStore> {
        (**self).results()
    }
}

/// Any [`ToolsProvider`]. Clones are cheap.
///
/// ```
/// use tool_core::{Principal, Registry};
/// use tool_core::provider::{IntoToolsProvider, Provider};
///
/// async fn names(provider: &Provider, principal: Principal) -> Vec<String> {
///     match provider.tools(&principal).await {
///         Ok(tools) => {
///             let registry = tools.registry().as_principal(principal);
///             registry.tools().map(|tool| tool.name().to_owned()).collect()
///         }
///         Err(_) => panic!("answer that the tools cannot be listed, and not that there are none"),
///     }
/// }
///
/// # tool_core::private::block_on(async {
/// let provider = Registry::builder().allow_empty().build().unwrap().into_provider();
/// assert!(names(&provider, Principal::anonymous()).await.is_empty());
/// # });
/// ```
#[derive(Clone)]
pub struct Provider {
    inner: Arc<dyn ToolsProvider>,
    skipped: Arc<SkippedLog>,
}

impl Provider {
    /// Returns the current tools for a caller.
    ///
    /// Skipped tools and errors are logged.
    ///
    /// # Errors
    ///
    /// If the provider failed or panicked. The cause is for the log; a caller learns only that the tools cannot be listed.
    ///
    /// ```
    /// # use tool_core::{DynamicTool, Output, Principal, Tool, ToolDefinition};
    /// # use tool_core::provider::IntoToolsProvider;
    /// # use std::sync::Arc;
    /// let list = || -> Vec<Arc<dyn Tool>> {
    ///     let definition = ToolDefinition::builder("tell_time", "Tells the time.").build().unwrap();
    ///     vec![Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::text("noon")) }))]
    /// };
    /// # tool_core::private::block_on(async {
    /// let tools = list.into_provider().tools(&Principal::anonymous()).await.unwrap();
    /// assert!(tools.registry().get("tell_time").is_some());
    /// # });
    /// ```
    pub async fn tools(&self, caller: &Principal) -> Result<Toolset, DiscoveryError> {
        let tools = self.ask(caller).await.inspect_err(|error| {
            let cause = error.source().map(ToString::to_string);
            tracing::error!(%error, cause, "the tools could not be listed");
        })?;
        self.skipped.write(tools.skipped());
        Ok(tools)
    }

    /// Returns `true` if the tools never change.
    ///
    /// ```
    /// # use tool_core::{Registry, Tool};
    /// # use tool_core::provider::IntoToolsProvider as _;
    /// # use std::sync::Arc;
    /// assert!(Registry::builder().allow_empty().build().unwrap().into_provider().is_constant());
    /// assert!(!(|| Vec::<Arc<dyn Tool>>::new()).into_provider().is_constant());
    /// ```
    pub fn is_constant(&self) -> bool {
        self.inner.is_constant()
    }

    /// Returns the store for large results, if there is one.
    ///
    /// ```
    /// # use tool_core::provider::IntoToolsProvider;
    /// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
    /// assert!(registry.into_provider().results().is_none());
    /// ```
    #[cfg(feature = "tokio")]
    pub fn results(&self) -> Option<crate::results::ResultStore> {
        self.inner.results()
    }

    pub(crate) fn new(provider: impl ToolsProvider + 'static) -> Self {
        Provider { inner: Arc::new(provider), skipped: Arc::default() }
    }

    /// Queries the provider without logging, for a provider that is made of others.
    pub(crate) async fn ask(&self, caller: &Principal) -> Result<Toolset, DiscoveryError> {
        let future = catch_panic(|| self.inner.tools(caller)).map_err(|Panicked| DiscoveryError::Panicked)?;
        catch_panic_future(future).await.unwrap_or(Err(DiscoveryError::Panicked))
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Provider")
    }
}
