//! What every handler works on: the provider, the settings, and what is kept between requests.

use std::sync::Arc;

use tool_core::Registry;
use tool_core::provider::Provider;
use tool_core::results::ResultStore;

use crate::documents::Documents;
use crate::in_flight::{Held, InFlight};
use crate::options::Options;
use crate::refusal::Refusal;

/// What every handler works on.
#[derive(Clone, Debug)]
pub(crate) struct Api(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    provider: Provider,
    options: Options,
    documents: Documents,
    in_flight: InFlight,
}

impl Api {
    pub(crate) fn new(provider: Provider, options: Options) -> Self {
        let (documents, in_flight) = Default::default();
        Api(Arc::new(Inner { provider, options, documents, in_flight }))
    }

    pub(crate) fn options(&self) -> &Options {
        &self.0.options
    }

    /// Asks the provider.
    pub(crate) async fn tools(&self) -> Result<Registry, Refusal> {
        // Why it failed is in the log.
        let tools = self.0.provider.tools().await.map_err(|_| Refusal::Discovery)?;
        Ok(if self.0.options.excerpts { tools.registry().clone() } else { tools.registry().in_full() })
    }

    /// What keeps results that are too large to be sent at once, if something does.
    pub(crate) fn results(&self) -> Option<ResultStore> {
        self.0.provider.results()
    }

    /// What was written for a registry that does not change.
    pub(crate) fn documents(&self) -> &Documents {
        &self.0.documents
    }

    /// Notes that a tool of this registry is called, which may run on when its caller has left.
    pub(crate) fn hold(&self, registry: &Registry) -> Held {
        self.0.in_flight.hold(registry)
    }

    /// Waits until no call is on its way.
    pub(crate) async fn idle(&self) {
        self.0.in_flight.idle().await;
    }
}
