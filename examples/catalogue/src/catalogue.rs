//! The catalogue as a tool source: the tools described in the database, cached and refreshed on change.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tool_core::definition::DefinitionError;
use tool_core::provider::{Cached, DiscoveryError, ToolsProvider, Toolset};
use tool_core::{BoxFuture, DynamicTool, Failure, FailureKind, Output, Principal, Registry, Tool};

use crate::answer;
use crate::client::{Client, Limits};
use crate::endpoint::{Endpoint, Service};
use crate::model::Provider;
use crate::secret::Secret;
use crate::store::{Row, Store, StoreError};

/// The time limit for reading the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// The tools of a catalogue.
#[derive(Debug)]
pub struct Catalogue {
    cached: Cached,
}

impl Catalogue {
    /// Creates a source of the tools that the database describes.
    ///
    /// A list is served for `time_to_live`, and refreshed in the background after half of it. `client` sends the calls, with the
    /// settings and limits of `registry`.
    #[must_use]
    pub fn new(store: Store, client: Client, registry: Registry, time_to_live: Duration) -> Self {
        let found = registry.providing(move || {
            let (store, client) = (store.clone(), client.clone());
            async move {
                let rows = store.reader().rows().await?;
                // Validates perhaps thousands of descriptions.
                let validated = tokio::task::spawn_blocking(move || tools(rows, &client)).await;
                validated.map_err(|_| StoreError::Interrupted)
            }
        });
        let half = time_to_live / 2;
        let cached = Cached::new(time_to_live - half, found).stale_while_revalidate(half).timeout(PATIENCE);
        Catalogue { cached }
    }

    /// Sets a callback that runs when the list has changed.
    #[must_use]
    pub fn on_change(self, listener: impl Fn() + Send + Sync + 'static) -> Self {
        Catalogue { cached: self.cached.on_change(listener) }
    }

    /// Reads the list again at once. The old one is served until then, at most for the rest of its time.
    pub fn refresh(&self) {
        self.cached.refresh();
    }
}

impl ToolsProvider for Catalogue {
    fn tools<'a>(&'a self, caller: &'a Principal) -> BoxFuture<'a, Result<Toolset, DiscoveryError>> {
        self.cached.tools(caller)
    }
}

/// Builds the tools of these rows; invalid rows become errors.
fn tools(rows: Vec<Row>, client: &Client) -> Vec<Result<Arc<dyn Tool>, DefinitionError>> {
    endpoints(rows)
        .into_iter()
        .map(|endpoint| Ok(Arc::new(tool(endpoint?, client.clone())) as Arc<dyn Tool>))
        .collect()
}

/// Builds the endpoints of these rows, without disabled ones.
pub(crate) fn endpoints(rows: Vec<Row>) -> Vec<Result<Endpoint, DefinitionError>> {
    // Valid services by code; `None` if disabled.
    let mut services: HashMap<String, Result<Option<Arc<Service>>, String>> = HashMap::new();
    let mut endpoints = Vec::new();
    for row in rows {
        match row {
            Row::Provider(code, provider) => {
                let service = provider.and_then(|provider| {
                    let enabled = provider.enabled;
                    Service::new(provider).map(|service| enabled.then(|| Arc::new(service)))
                });
                services.insert(code, service);
            }
            Row::Tool(code, Err(reason)) => endpoints.push(Err(DefinitionError::refused(code, reason))),
            Row::Tool(_, Ok(tool)) if !tool.enabled => {}
            Row::Tool(code, Ok(tool)) => {
                endpoints.push(match services.get(&tool.provider) {
                    Some(Ok(Some(service))) => Endpoint::new(Arc::clone(service), tool),
                    Some(Ok(None)) => continue,
                    Some(Err(reason)) => Err(DefinitionError::refused(
                        code,
                        format!("its provider `{}`: {reason}", tool.provider),
                    )),
                    None => Err(DefinitionError::refused(
                        code,
                        format!("there is no provider `{}`", tool.provider),
                    )),
                });
            }
        }
    }
    endpoints
}

/// Returns everything that is invalid in these rows, including disabled ones.
pub(crate) fn faults(rows: Vec<Row>) -> Vec<String> {
    let of_provider = |row: &Row| match row {
        Row::Provider(code, provider) => {
            let reason = provider.clone().and_then(Service::new).err()?;
            Some(format!("provider `{code}`: {reason}"))
        }
        Row::Tool(..) => None,
    };
    let mut faults: Vec<String> = rows.iter().filter_map(of_provider).collect();
    faults.extend(faults_of_tools(rows).iter().map(ToString::to_string));
    faults
}

/// Returns what is invalid in the tools of these rows, including disabled ones.
pub(crate) fn faults_of_tools(rows: Vec<Row>) -> Vec<DefinitionError> {
    let switched_on = |row| match row {
        Row::Provider(code, provider) => {
            Row::Provider(code, provider.map(|provider| Provider { enabled: true, ..provider }))
        }
        Row::Tool(code, tool) => {
            Row::Tool(code, tool.map(|tool| crate::model::Tool { enabled: true, ..tool }))
        }
    };
    let endpoints = endpoints(rows.into_iter().map(switched_on).collect());
    endpoints.into_iter().filter_map(Result::err).collect()
}

/// Builds a tool that calls an endpoint.
fn tool(endpoint: Endpoint, client: Client) -> DynamicTool {
    let definition = endpoint.definition.clone();
    let endpoint = Arc::new(endpoint);
    DynamicTool::new(definition, move |_, arguments: Map<String, Value>| {
        let (endpoint, client) = (Arc::clone(&endpoint), client.clone());
        async move { call(&endpoint, &client, &arguments).await }
    })
}

async fn call(
    endpoint: &Endpoint,
    client: &Client,
    arguments: &Map<String, Value>,
) -> Result<Output, Failure> {
    let provider = &endpoint.service.provider;
    let secret = Secret::of(provider).map_err(|error| {
        Failure::new(FailureKind::Unmet, format!("provider `{}`: {error}", provider.code))
    })?;
    let scrubber = endpoint.scrubber(arguments, secret.as_ref())?;
    let request = endpoint.request(arguments, secret.as_ref())?;
    let shown = endpoint.shown(arguments, &scrubber);
    tracing::info!(provider = provider.code, arguments = shown, "called");
    let limits = Limits {
        bytes: usize::try_from(provider.max_bytes).unwrap_or(usize::MAX),
        time: Duration::from_millis(provider.timeout_ms.into()),
    };
    let answer = client.send(&request, limits).await.map_err(|error| {
        let error_text = scrubber.scrub(&error.chain());
        tracing::warn!(provider = provider.code, error = error_text, "no answer");
        error.failure(&provider.code, endpoint.definition.modifies())
    })?;
    answer::output(endpoint, &answer, &scrubber).inspect_err(|failure| {
        tracing::info!(provider = provider.code, status = answer.status.as_u16(), error = %failure, "failed");
    })
}
