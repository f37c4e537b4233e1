//! The tools for one request: those of the provider at this moment, with the permissions of the caller.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use rmcp::ErrorData;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tool_core::adapter::Recent;
use tool_core::address::Surface;
use tool_core::provider::{DiscoveryError, Provider, Skipped, Toolset};
use tool_core::results::ResultStore;
use tool_core::ui::Ui;
use tool_core::{CallOptions, Principal, Registry, ToolDefinition, adapter};

use crate::catalog::routes::RouteMatch;
use crate::catalog::{Catalog, ListShape, Target};
use crate::protocol::{RpcResult, invalid_params, shutting_down};
use crate::render::stored_result::READER;
use crate::settings::Settings;
use crate::surfaces::Surfaces;
use crate::sync::lock;

/// How long a client may cache a list of constant tools. A new release of the application may change them.
pub(crate) const FRESH_FOR_MS: u64 = 60_000;

/// Gets the tools from the provider for each request, and caches the catalogs of the last registries.
pub(crate) struct CatalogViews {
    pub(crate) provider: Provider,
    /// The caller of a request without one; `None` for the local caller of a registry.
    caller: Option<Principal>,
    pub(crate) settings: Arc<Settings>,
    recent: Mutex<Recent<Arc<Catalog>>>,
    /// The modifying calls of former registries.
    former: TaskTracker,
    /// The running requests.
    requests: TaskTracker,
    /// Canceled when new requests are refused.
    shutdown: CancellationToken,
}

/// The tools of one moment for one caller.
pub(crate) struct CatalogView {
    pub(crate) registry: Registry,
    /// The options of calls.
    pub(crate) options: CallOptions,
    /// The providers at this moment, and those that have failed.
    pub(crate) providers: Toolset,
    pub(crate) catalog: Arc<Catalog>,
    /// Counts the request as running.
    _request: TaskTrackerToken,
}

impl CatalogViews {
    pub(crate) fn new(provider: Provider, caller: Option<Principal>, settings: Arc<Settings>) -> Self {
        CatalogViews {
            provider,
            caller,
            settings,
            recent: Mutex::default(),
            former: TaskTracker::new(),
            requests: TaskTracker::new(),
            shutdown: CancellationToken::new(),
        }
    }

    /// Returns the tools for a caller.
    ///
    /// # Errors
    ///
    /// When the provider fails, with the reason in the log, or when the server is shutting down.
    pub(crate) async fn now(&self, caller: Option<&Principal>) -> RpcResult<CatalogView> {
        // Count the request before the check, so that `wait_for_requests` does not miss it.
        let request = self.requests.token();
        if self.is_shutting_down() {
            return Err(shutting_down());
        }
        let tools = match caller.or(self.caller.as_ref()) {
            Some(principal) => self.provider.tools(principal).await,
            None => self.provider.tools(&Principal::local()).await,
        };
        let tools = tools.map_err(|_| ErrorData::internal_error("Internal error discovering tools", None))?;
        let catalog = self.catalog(&tools);
        let registry = match caller.or(self.caller.as_ref()) {
            Some(principal) => tools.registry().as_principal(principal.clone()),
            None => tools.registry().clone(),
        };
        let options = CallOptions::new();
        Ok(CatalogView { registry, options, catalog, providers: tools, _request: request })
    }

    /// Returns the result store and the caller to read it for, even if the tools are not available.
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

    /// Returns how long a client may cache a list: not at all if tools come and go.
    pub(crate) fn fresh_for_ms(&self) -> u64 {
        if self.provider.is_constant() { FRESH_FOR_MS } else { 0 }
    }

    /// Counts a request as running until the token is dropped.
    pub(crate) fn request(&self) -> TaskTrackerToken {
        self.requests.token()
    }

    /// Refuses new requests.
    pub(crate) fn begin_shutdown(&self) {
        self.shutdown.cancel();
        self.requests.close();
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        self.shutdown.is_cancelled()
    }

    /// Waits for the running requests, after `begin_shutdown`.
    pub(crate) async fn wait_for_requests(&self) {
        self.requests.wait().await;
    }

    /// Returns the catalog of the last request.
    pub(crate) fn latest(&self) -> Option<Arc<Catalog>> {
        lock(&self.recent).last().cloned()
    }

    /// Waits for the running calls that modify something.
    pub(crate) async fn drain(&self) {
        let recent: Vec<_> = lock(&self.recent).iter().cloned().collect();
        for catalog in recent {
            catalog.registry().drain().await;
        }
        self.former.close();
        self.former.wait().await;
    }

    fn catalog(&self, tools: &Toolset) -> Arc<Catalog> {
        let mut recent = lock(&self.recent);
        if let Some(found) = recent.find(|catalog| adapter::same_view(catalog.registry(), tools.registry())) {
            return Arc::clone(found);
        }
        let catalog = Arc::new(Catalog::new(tools.clone(), Arc::clone(&self.settings)));
        let dropped = recent.push(Arc::clone(&catalog), adapter::definitions(tools.registry()).len());
        drop(recent);
        for former in dropped {
            self.former.spawn(async move { former.registry().drain().await });
        }
        catalog
    }
}

impl CatalogView {
    /// Returns the tools that the caller may call, by name.
    pub(crate) fn callable(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.registry.callable()
    }

    /// Returns the callable tools that are published as tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.callable().filter(|tool| self.is_tool(tool))
    }

    /// Returns the tools that are listed: those that are callable, and those that would be with further permissions if
    /// lists have them.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &ToolDefinition> {
        let has_denied = self.catalog.settings.denied_tools;
        let callable = (!has_denied).then(|| self.callable());
        let visible = has_denied.then(|| self.registry.tools().filter(|tool| self.is_listed(tool)));
        let listed = callable.into_iter().flatten().chain(visible.into_iter().flatten());
        listed.filter(|tool| self.is_tool(tool))
    }

    fn is_listed(&self, tool: &ToolDefinition) -> bool {
        self.registry.check_access(tool.name()).is_ok() || self.lacks(tool.name()).is_some()
    }

    /// Returns the permissions that a call needs, if lists have the tools for which the caller lacks one.
    fn lacks(&self, tool: &str) -> Option<Vec<&str>> {
        if self.catalog.settings.denied_tools { adapter::lacks(&self.registry, tool) } else { None }
    }

    /// Returns these listed tools as `tools/list` has them.
    pub(crate) fn list(&self, names: &[&str], shape: ListShape) -> Bytes {
        let mut items: Vec<Bytes> = Vec::new();
        // Tools that the caller may call stand one after another in the catalog's own list.
        for names in names.chunk_by(|one, other| self.lacks(one).is_none() && self.lacks(other).is_none()) {
            let denied = names.first().and_then(|name| Some((self.registry.get(name)?, self.lacks(name)?)));
            items.push(match denied {
                Some((tool, lacks)) => self.catalog.listed_as_denied(tool, &lacks, shape).into(),
                None => self.catalog.listed(names, shape),
            });
        }
        items.join(&b","[..]).into()
    }

    /// Returns the searchable tools in the order of their servers; all, or those of one server.
    pub(crate) fn tools_by_server<'o>(&'o self, server: &'o str) -> impl Iterator<Item = &'o ToolDefinition> {
        let positions = self.catalog.by_server().iter().copied();
        let matching = positions
            .filter(move |position| server.is_empty() || self.catalog.server_at(*position) == server);
        matching
            .filter_map(|position| adapter::callable_at(&self.registry, position))
            .filter(|tool| self.is_searchable(tool))
    }

    /// Returns `true` if a tool is published as a tool, and not only as a resource.
    pub(crate) fn is_tool(&self, tool: &ToolDefinition) -> bool {
        self.catalog.settings.surfaces == Surfaces::Inclusive || Surface::of(tool) == Surface::Tool
    }

    /// Returns `true` if a tool can be called by the search tools, which a model calls.
    pub(crate) fn is_for_search(&self, tool: &ToolDefinition) -> bool {
        self.is_tool(tool) && tool.ui().is_none_or(Ui::is_for_model)
    }

    /// Returns `true` if a search can find the tool. The tool that reads large results is listed beside the search tools.
    pub(crate) fn is_searchable(&self, tool: &ToolDefinition) -> bool {
        self.is_for_search(tool) && (tool.name() != READER || adapter::results(&self.registry).is_none())
    }

    /// # Errors
    ///
    /// When the tool is only published as a resource.
    pub(crate) fn check_is_tool(&self, name: &str) -> RpcResult<Option<&ToolDefinition>> {
        let Some(tool) = self.registry.get(name) else { return Ok(None) };
        if self.is_tool(tool) {
            return Ok(Some(tool));
        }
        let uri = self.catalog.pattern(tool).map(|pattern| pattern.as_str().to_owned());
        Err(invalid_params(format!("Tool not found: {name}; read it at {}", uri.unwrap_or_default())))
    }

    /// Returns the name of the server of a tool.
    pub(crate) fn server(&self, tool: &ToolDefinition) -> &str {
        self.catalog.server(tool.name())
    }

    /// Returns the description of a tool; never empty.
    pub(crate) fn description<'v>(&'v self, tool: &'v ToolDefinition) -> &'v str {
        let description = self.catalog.settings.description(tool).trim();
        if description.is_empty() { "No description" } else { description }
    }

    /// Returns the name of a tool without the prefix `{server}__`, if it is unique without it.
    pub(crate) fn name_on_server<'t>(&self, tool: &'t ToolDefinition) -> &'t str {
        let stripped = tool.name().strip_prefix(self.server(tool)).and_then(|rest| rest.strip_prefix("__"));
        match stripped {
            Some(bare) if !bare.is_empty() && self.registry.get(bare).is_none() => bare,
            _ => tool.name(),
        }
    }

    /// Returns the servers with tools, and the unavailable ones, in the order of their providers.
    pub(crate) fn servers(&self) -> Vec<&str> {
        let mut having: BTreeSet<&str> =
            self.tools().filter(|tool| self.is_searchable(tool)).map(|tool| self.server(tool)).collect();
        let providers = self.providers.providers();
        let mut servers: Vec<&str> =
            providers.filter(|name| having.remove(name) || self.unavailable(name).is_some()).collect();
        servers.extend(having);
        servers
    }

    /// Returns why a server is unavailable, if it is, in words that a caller may see.
    pub(crate) fn unavailable(&self, server: &str) -> Option<String> {
        let error = self.providers.skipped().iter().find_map(|skipped| match skipped {
            Skipped::Provider(DiscoveryError::Of { provider, error }) if provider == server => Some(error),
            _ => None,
        })?;
        Some(format!("server `{server}` is {}", reason(error)))
    }

    /// Returns why the server in the name of a tool is unavailable, if it is.
    pub(crate) fn unavailable_server_of(&self, tool: &str) -> Option<String> {
        let (server, _) = tool.split_once("__")?;
        self.unavailable(server)
    }

    /// Returns `true` if the caller may use a target.
    pub(crate) fn is_accessible(&self, target: &Target) -> bool {
        match target {
            Target::Tool(name) | Target::Ui(name) => self.registry.check_access(name).is_ok(),
            Target::Tools | Target::Page | Target::Result | Target::Resource(_) | Target::Template(_) => true,
        }
    }

    /// Returns `true` if the caller may read a URI.
    pub(crate) fn resolves(&self, uri: &str) -> bool {
        match self.catalog.resources().routes.find(uri) {
            Some(RouteMatch::Found(Target::Page, values)) => {
                values.first().is_some_and(|(_, name)| self.registry.check_access(name).is_ok())
            }
            Some(RouteMatch::Found(target, _)) => self.is_accessible(target),
            Some(RouteMatch::InvalidVariable(..)) | None => false,
        }
    }
}

/// Returns the reason of a failed provider. Errors of the application may be confidential, and are hidden.
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
