//! A provider for each key, such as a tenant.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Mutex;

use crate::model::access::Principal;
use crate::model::future::BoxFuture;
use crate::model::lock::lock;
use crate::registry::provider::discovery::DiscoveryError;
use crate::registry::provider::into::IntoToolsProvider;
use crate::registry::provider::toolset::Toolset;
use crate::registry::provider::{Provider, ToolsProvider};

/// The default bound of the number of providers.
const CAPACITY: usize = 1000;

/// One provider for each key of a caller, such as its tenant.
///
/// The first request with a key makes its provider, from nothing but the key, so that the tools of a tenant do not depend on
/// which of its users came first. Usually it is [`Cached`](crate::provider::Cached). The providers that were used last are
/// kept, 1,000 unless [set](Self::capacity). What adapters render of their tools is kept for 4,096 tools together.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use tool_core::provider::{Cached, IntoToolsProvider, Keyed};
/// use tool_core::{DynamicTool, Output, Principal, Tool, ToolDefinition};
/// # use tool_core::definition::DefinitionError;
///
/// /// The tenant of a user, attached by the authenticator of the application.
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// struct Tenant(String);
///
/// /// Reads the tools of a tenant from a database.
/// async fn tools_of(tenant: Option<Tenant>) -> Result<Vec<Arc<dyn Tool>>, DefinitionError> {
///     let Some(Tenant(name)) = tenant else { return Ok(Vec::new()) };
///     let definition = ToolDefinition::builder(format!("{name}_report"), "Reports.").build()?;
///     Ok(vec![Arc::new(DynamicTool::new(definition, |_, _: serde_json::Value| async { Ok(Output::empty()) }))])
/// }
///
/// let provider = Keyed::new(
///     |caller: &Principal| caller.extension::<Tenant>().cloned(),
///     |tenant: &Option<Tenant>| {
///         let tenant = tenant.clone();
///         Cached::new(Duration::from_secs(60), move || tools_of(tenant.clone()))
///     },
/// );
/// let provider = provider.into_provider();
///
/// # tool_core::private::block_on(async {
/// let ada = Principal::new("ada").with(Tenant("acme".into()));
/// assert!(provider.tools(&ada).await.unwrap().registry().get("acme_report").is_some());
/// assert!(provider.tools(&Principal::anonymous()).await.unwrap().registry().get("acme_report").is_none());
/// # });
/// ```
#[must_use]
pub struct Keyed<K> {
    key: Box<dyn Fn(&Principal) -> K + Send + Sync>,
    provider: Box<dyn Fn(&K) -> Provider + Send + Sync>,
    capacity: usize,
    providers: Mutex<ProviderMap<K>>,
}

struct ProviderMap<K> {
    /// Each with the time of its last use.
    of: HashMap<K, (u64, Provider)>,
    /// The number of uses.
    time: u64,
    /// The number of calls of `remove`.
    removals: u64,
}

impl<K: Clone + Eq + Hash + Send + 'static> Keyed<K> {
    /// Creates a provider from a function that returns the key of a caller, and one that makes the provider of a key.
    ///
    /// ```
    /// # use tool_core::{Principal, Registry};
    /// # use tool_core::provider::Keyed;
    /// let by_user = Keyed::new(
    ///     |caller: &Principal| caller.id().map(str::to_owned),
    ///     |_: &Option<String>| Registry::builder().allow_empty().build().unwrap(),
    /// );
    /// ```
    pub fn new<P, Marker>(
        key: impl Fn(&Principal) -> K + Send + Sync + 'static,
        provider: impl Fn(&K) -> P + Send + Sync + 'static,
    ) -> Self
    where
        P: IntoToolsProvider<Marker>,
    {
        Keyed {
            key: Box::new(key),
            provider: Box::new(move |key| provider(key).into_provider()),
            capacity: CAPACITY,
            providers: Mutex::new(ProviderMap { of: HashMap::new(), time: 0, removals: 0 }),
        }
    }

    /// Sets how many providers are kept. Beyond that, the one that was not used for the longest time is dropped, with its
    /// cache.
    ///
    /// ```
    /// # use std::num::NonZeroUsize;
    /// # use tool_core::{Principal, Registry};
    /// # use tool_core::provider::Keyed;
    /// # let key = |caller: &Principal| caller.id().map(str::to_owned);
    /// # let provider = |_: &Option<String>| Registry::builder().allow_empty().build().unwrap();
    /// let by_user = Keyed::new(key, provider).capacity(NonZeroUsize::new(50).unwrap());
    /// ```
    pub fn capacity(mut self, providers: NonZeroUsize) -> Self {
        self.capacity = providers.get();
        self
    }

    /// Drops the provider of a key, for example if the tools of the tenant have changed: the next request makes it anew.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::provider::{IntoToolsProvider, Keyed};
    /// # use tool_core::{Principal, Registry};
    /// # let key = |caller: &Principal| caller.id().map(str::to_owned);
    /// # let provider = |_: &Option<String>| Registry::builder().allow_empty().build().unwrap();
    ///
    /// let keyed = Arc::new(Keyed::new(key, provider));
    /// let provider = Arc::clone(&keyed).into_provider();
    /// // Later, when this user has other tools:
    /// keyed.remove(&Some("ada".to_owned()));
    /// ```
    pub fn remove(&self, key: &K) {
        let mut providers = lock(&self.providers);
        providers.removals += 1;
        let removed = providers.of.remove(key);
        drop(providers);
        // A provider is dropped without the lock.
        drop(removed);
    }

    /// Returns the provider for a caller. The functions of the application run without the lock.
    fn of(&self, caller: &Principal) -> Provider {
        let key = (self.key)(caller);
        let mut providers = lock(&self.providers);
        if let Some(found) = providers.find(&key) {
            return found;
        }
        let removals = providers.removals;
        drop(providers);
        let made = (self.provider)(&key);
        let mut providers = lock(&self.providers);
        // Another request may have made it in the meantime.
        if let Some(found) = providers.find(&key) {
            drop(providers);
            return found;
        }
        if providers.removals != removals {
            // It may be of the time before a removal, and serves only this request.
            return made;
        }
        let dropped = if providers.of.len() >= self.capacity { providers.remove_oldest() } else { None };
        let time = providers.time;
        providers.of.insert(key, (time, made.clone()));
        drop(providers);
        drop(dropped);
        made
    }
}

impl<K: Clone + Eq + Hash> ProviderMap<K> {
    fn find(&mut self, key: &K) -> Option<Provider> {
        self.time += 1;
        let (used, provider) = self.of.get_mut(key)?;
        *used = self.time;
        Some(provider.clone())
    }

    fn remove_oldest(&mut self) -> Option<Provider> {
        let oldest = self.of.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone())?;
        self.of.remove(&oldest).map(|(_, provider)| provider)
    }
}

impl<K: Clone + Eq + Hash + Send + 'static> ToolsProvider for Keyed<K> {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        Box::pin(async move { self.of(caller).ask(caller).await })
    }
}

impl<K> fmt::Debug for Keyed<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyed").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}
