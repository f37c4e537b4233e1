//! The health check of services.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Reader, State, ToolError, tool};

use super::read::providers;
use crate::client::{Client, Limits, Request};
use crate::endpoint::{Service, credential};
use crate::model::Provider;
use crate::secret::{Scrubber, Secret};
use crate::store::{Store, StoreError};

/// How a service is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// The service.
    pub provider: String,
    /// Whether it answered with a status below 400.
    pub healthy: bool,
    /// The status of its answer.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub milliseconds: u64,
    /// What is wrong.
    pub fault: Option<String>,
}

/// Asks each service for its health path, all at once, and says which of them answer.
#[tool(operation = Read, title = "Check providers", tags = ["catalogue"], timeout = "2m")]
async fn check_providers(
    #[inject] store: Reader<Store>,
    #[inject] client: State<Client>,
    /// Only this service.
    #[arg(complete = providers)]
    provider: Option<String>,
) -> Result<Vec<Health>, ToolError> {
    let stored = store.description().await?.providers;
    let wanted: Vec<Provider> =
        stored.into_iter().filter(|one| provider.as_ref().is_none_or(|code| one.code == *code)).collect();
    if let (Some(code), true) = (provider, wanted.is_empty()) {
        return Err(StoreError::NoProvider(code).into());
    }
    let mut checks = tokio::task::JoinSet::new();
    for (place, provider) in wanted.into_iter().enumerate() {
        let client = Client::clone(&client);
        checks.spawn(async move { (place, health(&client, provider).await) });
    }
    let mut answers = checks.join_all().await;
    answers.sort_by_key(|(place, _)| *place);
    Ok(answers.into_iter().map(|(_, health)| health).collect())
}

async fn health(client: &Client, provider: Provider) -> Health {
    let (code, begun) = (provider.code.clone(), Instant::now());
    let (status, fault) = match ask(client, provider).await {
        Ok(status) if status < 400 => (Some(status), None),
        Ok(status) => (Some(status), Some(format!("it answered {status}"))),
        Err(fault) => (None, Some(fault)),
    };
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Health { provider: code, healthy: fault.is_none(), status, milliseconds, fault }
}

async fn ask(client: &Client, provider: Provider) -> Result<u16, String> {
    let secret = Secret::of(&provider).map_err(|error| error.to_string())?;
    let scrubber = Scrubber::of(secret.as_ref().map(Secret::text));
    let credential = secret.as_ref().map(|secret| credential(&provider, secret)).transpose();
    let credential = credential.map_err(|failure| failure.to_string())?;
    let limits = Limits {
        bytes: usize::try_from(provider.max_bytes).unwrap_or(usize::MAX),
        time: Duration::from_millis(provider.timeout_ms.into()),
    };
    let service = Service::new(provider)?;
    let (path, query) = match service.provider.health_path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (service.provider.health_path.as_str(), None),
    };
    let (method, url) = (reqwest::Method::GET, service.url(path, query));
    let request = Request { method, url, headers: Vec::new(), body: None, credential };
    let answer = client.send(&request, limits).await.map_err(|error| scrubber.scrub(&error.to_string()))?;
    Ok(answer.status.as_u16())
}
