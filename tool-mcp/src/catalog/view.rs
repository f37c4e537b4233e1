//! What there is for one request: the tools at this moment, as its caller may see them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tool_core::address::Surface;
use tool_core::provider::{DiscoveryError, Provider, Skipped, Toolset};
use tool_core::results::ResultStore;
use tool_core::{CallOptions, Principal, Registry, ToolDefinition, adapter};

use crate::catalog::routes::Found;
use crate::catalog::uri::Scheme;
use crate::catalog::{Catalog, Target};
use crate::protocol::shutting_down;
use crate::render::stored_result::READER;
use crate::settings::Settings;
use crate::surfaces::Surfaces;

/// How long a client may keep a list of tools that stay the same. Nothing changes while the process lives, but another
/// release may follow it.
pub(crate) const FRESH_FOR_MS: u64 = 60_000;

/// Asks for the tools once a request, and keeps what was made of them as long as they stay the same.
pub(crate) struct CatalogViews {
    provider: Provider,
    /// Whoever sends a request of which nobody said it; `None` for the local caller of a registry.
    caller: Option<Principal>,
    settings: Arc<Settings>,
    latest: Mutex<Option<Arc<Catalog>>>,
    /// The calls of tools that are offered no more.
    former: TaskTracker,
    /// The requests that are on their way.
    requests: TaskTracker,
    /// No request is begun any more.
    ending: CancellationToken,
}

/// The tools of one moment for one caller.
pub(crate) struct CatalogView {
    pub(crate) registry: Registry,
    /// With which calls are made.
    pub(crate) options: CallOptions,
    /// The providers at this moment, and those of them that have failed.
    pub(crate) providers: Toolset,
    pub(crate) catalog: Arc<Catalog>,
    /// As long as it is there, a request is on its way.
    _request: TaskTrackerToken,
}

impl CatalogViews {
    pub(crate) fn new(provider: Provider, caller: Option<Principal>, settings: Arc<Settings>) -> Self {
        CatalogViews {
            provider,
            caller,
            settings,
            latest: Mutex::new(None),
            former: TaskTracker::new(),
            requests: TaskTracker::new(),
            ending: CancellationToken::new(),
        }
    }

    /// What there is for a caller.
    ///
    /// # Errors
    ///
    /// When the tools are not known; why is in the log. And when the server is about to end.
    pub(crate) async fn now(&self, caller: Option<&Principal>) -> Result<CatalogView, ErrorData> {
        // Counted before it is looked whether it may begin: whoever waits for what has begun overlooks none.
        let request = self.requests.token();
        if self.ending.is_cancelled() {
            return Err(shutting_down());
        }
        let tools = self.provider.tools().await;
        let tools = tools.map_err(|_| ErrorData::internal_error("Internal error discovering tools", None))?;
        let catalog = self.catalog(&tools);
        let registry = match caller.or(self.caller.as_ref()) {
            Some(principal) => tools.registry().as_principal(principal.clone()),
            None => tools.registry().clone(),
        };
        let options = CallOptions::new();
        Ok(CatalogView { registry, options, catalog, providers: tools, _request: request })
    }

    /// What keeps results that are too large to be shown, whether or not there are tools at the moment, and for whom it is
    /// asked then.
    pub(crate) async fn results(&self, caller: Option<&Principal>) -> Option<(ResultStore, Principal)> {
        let results = match (self.provider.results(), self.now(caller).await) {
            (Some(results), Err(_)) => results,
            (results, Ok(view)) => {
                let results = adapter::results(&view.registry).cloned().or(results)?;
                return Some((results, view.registry.principal().clone()));
            }
            (None, Err(_)) => return None,
        };
        let latest = || self.latest().map(|catalog| catalog.registry().principal().clone());
        let caller = caller.or(self.caller.as_ref()).cloned().or_else(latest);
        Some((results, caller.unwrap_or_else(Principal::local)))
    }

    /// How long a client may keep a list: not at all where tools come and go.
    pub(crate) fn fresh_for_ms(&self) -> u64 {
        if self.provider.is_constant() { FRESH_FOR_MS } else { 0 }
    }

    /// Counts a request, until what it gives is dropped.
    pub(crate) fn request(&self) -> TaskTrackerToken {
        self.requests.token()
    }

    /// Begins no request any more.
    pub(crate) fn end(&self) {
        self.ending.cancel();
        self.requests.close();
    }

    /// Whether no request is begun any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// Waits until no request is on its way, once none is begun any more.
    pub(crate) async fn answered(&self) {
        self.requests.wait().await;
    }

    /// The scheme of the URIs of this server.
    pub(crate) fn scheme(&self) -> &Scheme {
        &self.settings.scheme
    }

    /// What the last request was offered.
    pub(crate) fn latest(&self) -> Option<Arc<Catalog>> {
        // Nothing panics while it is held.
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until no call is on its way that modifies.
    pub(crate) async fn idle(&self) {
        if let Some(latest) = self.latest() {
            latest.registry().drain().await;
        }
        self.former.close();
        self.former.wait().await;
    }

    fn catalog(&self, tools: &Toolset) -> Arc<Catalog> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*latest {
            Some(catalog) if adapter::same_view(catalog.registry(), tools.registry()) => Arc::clone(catalog),
            other => {
                if let Some(former) = other.as_ref().map(|catalog| catalog.registry().clone()) {
                    self.former.spawn(async move { former.drain().await });
                }
                let catalog = Arc::new(Catalog::new(tools.clone(), Arc::clone(&self.settings)));
                *latest = Some(Arc::clone(&catalog));
                catalog
            }
        }
    }
}

impl CatalogView {
    /// The tools that the caller may call, by name: what it is told of.
    pub(crate) fn callable(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.registry.callable()
    }

    /// Those of them that are shown as tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.callable().filter(|tool| self.is_tool(tool))
    }

    /// The same in the order of their servers; all, or those of one server.
    pub(crate) fn tools_by_server<'o>(&'o self, server: &'o str) -> impl Iterator<Item = &'o ToolDefinition> {
        let positions = self.catalog.by_server().iter().copied();
        let matching = positions
            .filter(move |position| server.is_empty() || self.catalog.server_at(*position) == server);
        matching
            .filter_map(|position| adapter::callable_at(&self.registry, position))
            .filter(|tool| self.is_found(tool))
    }

    /// Whether a tool is shown as one.
    pub(crate) fn is_tool(&self, tool: &ToolDefinition) -> bool {
        self.catalog.settings().surfaces == Surfaces::Inclusive || Surface::of(tool) == Surface::Tool
    }

    /// Returns `true` for a tool of a server: the one that reads large results is listed beside those that find the others.
    pub(crate) fn is_found(&self, tool: &ToolDefinition) -> bool {
        self.is_tool(tool) && (tool.name() != READER || adapter::results(&self.registry).is_none())
    }

    /// Refuses a tool that is read and not called.
    ///
    /// # Errors
    ///
    /// Where it is read.
    pub(crate) fn is_called(&self, name: &str) -> Result<(), ErrorData> {
        let Some(tool) = self.registry.get(name).filter(|tool| !self.is_tool(tool)) else { return Ok(()) };
        let uri = self.catalog.pattern(tool).map(|pattern| pattern.as_str().to_owned());
        let message = format!("Tool not found: {name}; read it at {}", uri.unwrap_or_default());
        Err(ErrorData::invalid_params(message, None))
    }

    /// The name of the server that a tool is of.
    pub(crate) fn server(&self, tool: &ToolDefinition) -> &str {
        self.catalog.server(tool.name())
    }

    /// Returns the description of a tool; never empty.
    pub(crate) fn description<'v>(&'v self, tool: &'v ToolDefinition) -> &'v str {
        let description = self.catalog.settings().description(tool).trim();
        if description.is_empty() { "No description" } else { description }
    }

    /// The name of a tool on its server, where the two stand together in its name.
    pub(crate) fn name_on_server<'t>(&self, tool: &'t ToolDefinition) -> &'t str {
        let stripped = tool.name().strip_prefix(self.server(tool)).and_then(|rest| rest.strip_prefix("__"));
        match stripped {
            Some(bare) if !bare.is_empty() && self.registry.get(bare).is_none() => bare,
            _ => tool.name(),
        }
    }

    /// The servers that have tools and those that would have if they were there, in the order of their providers.
    pub(crate) fn servers(&self) -> Vec<&str> {
        let mut having: BTreeSet<&str> =
            self.tools().filter(|tool| self.is_found(tool)).map(|tool| self.server(tool)).collect();
        let providers = self.providers.providers();
        let mut servers: Vec<&str> =
            providers.filter(|name| having.remove(name) || self.absence(name).is_some()).collect();
        servers.extend(having);
        servers
    }

    /// Why a server has no tools at the moment, in words that a caller may see.
    pub(crate) fn absence(&self, server: &str) -> Option<String> {
        let error = self.providers.skipped().iter().find_map(|left_out| match left_out {
            Skipped::Provider(DiscoveryError::Of { provider, error }) if provider == server => Some(error),
            _ => None,
        })?;
        Some(format!("server `{server}` is {}", reason(error)))
    }

    /// The same of the server that a tool would be of, by its name.
    pub(crate) fn absence_of(&self, tool: &str) -> Option<String> {
        let (server, _) = tool.split_once("__")?;
        self.absence(server)
    }

    /// Whether what lives somewhere is there for the caller.
    pub(crate) fn shows(&self, target: &Target) -> bool {
        match target {
            Target::Tool(name) => self.registry.check_access(name).is_ok(),
            Target::Tools | Target::Page | Target::Result | Target::Resource(_) | Target::Template(_) => true,
        }
    }

    /// Whether the caller finds something at a URI.
    pub(crate) fn leads(&self, uri: &str) -> bool {
        match self.catalog.places().routes.find(uri) {
            Some(Found::Here(Target::Page, values)) => {
                values.first().is_some_and(|(_, name)| self.registry.check_access(name).is_ok())
            }
            Some(Found::Here(target, _)) => self.shows(target),
            Some(Found::Bad(..)) | None => false,
        }
    }
}

/// What a provider that failed may say to a caller: nothing, unless its words are ours.
fn reason(error: &DiscoveryError) -> String {
    #[cfg(feature = "upstream")]
    if let DiscoveryError::Failed(error) = error
        && let Some(unavailable) = error.downcast_ref::<crate::upstream::UpstreamUnavailable>()
    {
        return unavailable.state.to_string();
    }
    let _ = error;
    "not there at the moment".to_owned()
}
