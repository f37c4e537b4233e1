//! What every handler works on: the provider, the settings, and what is kept between requests.

use std::sync::Arc;

use tool_core::provider::Provider;
use tool_core::results::ResultStore;
use tool_core::{CallOptions, Registry, adapter};

use crate::cache::DocumentCache;
use crate::error::ApiError;
use crate::in_flight::{CallGuard, InFlightCalls};
use crate::options::Options;

/// What every handler works on.
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

    /// Asks the provider.
    pub(crate) async fn tools(&self) -> Result<Registry, ApiError> {
        // Why it failed is in the log.
        let tools = self.0.provider.tools().await.map_err(|_| ApiError::Discovery)?;
        let registry = tools.registry();
        let in_full = !self.0.options.excerpts && adapter::results(registry).is_some();
        Ok(if in_full { registry.with_options(&CallOptions::new().full_results()) } else { registry.clone() })
    }

    /// What keeps results that are too large to be sent at once, if something does.
    pub(crate) fn results(&self) -> Option<ResultStore> {
        self.0.provider.results()
    }

    /// What was written for a registry that does not change.
    pub(crate) fn cache(&self) -> &DocumentCache {
        &self.0.cache
    }

    /// Notes that a tool of this registry is called, which may run on when its caller has left.
    pub(crate) fn track_call(&self, registry: &Registry) -> CallGuard {
        self.0.in_flight.track(registry)
    }

    /// Waits until no call is on its way.
    pub(crate) async fn drain(&self) {
        self.0.in_flight.drain().await;
    }
}
