//! The state of all handlers: the provider, the options and the caches.

use std::sync::Arc;

use tool_core::provider::Provider;
use tool_core::results::ResultStore;
use tool_core::{Principal, Registry};

use crate::cache::DocumentCache;
use crate::error::ApiError;
use crate::in_flight::{CallGuard, InFlightCalls};
use crate::options::Options;

/// The state of all handlers.
#[derive(Clone, Debug)]
pub(crate) struct Api(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    provider: Provider,
    options: Options,
    cache: DocumentCache,
    in_flight: InFlightCalls,
}

impl Api {
    pub(crate) fn new(provider: Provider, options: Options) -> Self {
        let (cache, in_flight) = Default::default();
        Api(Arc::new(Inner { provider, options, cache, in_flight }))
    }

    pub(crate) fn options(&self) -> &Options {
        &self.0.options
    }

    /// Queries the provider for a caller.
    pub(crate) async fn tools(&self, caller: &Principal) -> Result<Registry, ApiError> {
        // The provider has logged the cause.
        let tools = self.0.provider.tools(caller).await.map_err(|_| ApiError::Discovery)?;
        Ok(self.0.options.registry(tools.registry()))
    }

    /// Returns the provider of the tools.
    pub(crate) fn provider(&self) -> &Provider {
        &self.0.provider
    }

    /// Returns the store of large results, if there is one.
    pub(crate) fn results(&self) -> Option<ResultStore> {
        self.0.provider.results()
    }

    /// Returns the cache of rendered documents.
    pub(crate) fn cache(&self) -> &DocumentCache {
        &self.0.cache
    }

    /// Tracks a call, which may continue after its client has disconnected.
    pub(crate) fn track_call(&self, registry: &Registry) -> CallGuard {
        self.0.in_flight.track(registry)
    }

    /// Waits until no call is running.
    pub(crate) async fn drain(&self) {
        self.0.in_flight.drain().await;
    }
}
