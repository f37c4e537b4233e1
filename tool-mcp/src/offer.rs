//! What there is for one request: the tools at this moment, as its caller may see them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use tokio_util::task::TaskTracker;
use tool_core::{Principal, Provider, Registry, Surface, ToolDefinition, Toolset};

use crate::catalogue::{Catalogue, Target};
use crate::settings::Settings;
use crate::surfaces::Surfaces;

/// How long a client may keep a list. Nothing changes while the process lives, but another release may follow it.
pub(crate) const FRESH_FOR_MS: u64 = 60_000;

/// Asks for the tools once a request, and keeps what was made of them as long as they stay the same.
pub(crate) struct Offers {
    provider: Provider,
    /// Whoever sends a request of which nobody said it; `None` for the local caller of a registry.
    caller: Option<Principal>,
    settings: Arc<Settings>,
    latest: Mutex<Option<Arc<Catalogue>>>,
    /// Whether there were ever other tools than before.
    varies: AtomicBool,
    /// The calls of tools that are offered no more.
    former: TaskTracker,
}

/// The tools of one moment for one caller.
pub(crate) struct Offer {
    pub(crate) registry: Registry,
    pub(crate) catalogue: Arc<Catalogue>,
}

impl Offers {
    pub(crate) fn new(provider: Provider, caller: Option<Principal>, settings: Arc<Settings>) -> Self {
        Offers {
            provider,
            caller,
            settings,
            latest: Mutex::new(None),
            varies: AtomicBool::new(false),
            former: TaskTracker::new(),
        }
    }

    /// What there is for a caller.
    ///
    /// # Errors
    ///
    /// When the tools are not known; why is in the log.
    pub(crate) async fn now(&self, caller: Option<&Principal>) -> Result<Offer, ErrorData> {
        let tools = self.provider.tools().await;
        let tools = tools.map_err(|_| ErrorData::internal_error("Internal error discovering tools", None))?;
        let catalogue = self.catalogue(&tools);
        let registry = match caller.or(self.caller.as_ref()) {
            Some(principal) => tools.registry().as_principal(principal.clone()),
            None => tools.registry().clone(),
        };
        Ok(Offer { registry, catalogue })
    }

    /// How long a client may keep a list: not at all where tools come and go.
    pub(crate) fn fresh_for_ms(&self) -> u64 {
        if self.varies.load(Ordering::Relaxed) { 0 } else { FRESH_FOR_MS }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the last request was offered.
    pub(crate) fn latest(&self) -> Option<Arc<Catalogue>> {
        // Nothing panics while it is held.
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until no call is on its way that modifies.
    pub(crate) async fn idle(&self) {
        if let Some(latest) = self.latest() {
            latest.registry().idle().await;
        }
        self.former.close();
        self.former.wait().await;
    }

    fn catalogue(&self, tools: &Toolset) -> Arc<Catalogue> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*latest {
            Some(catalogue) if catalogue.registry().is(tools.registry()) => Arc::clone(catalogue),
            other => {
                if let Some(former) = other.as_ref().map(|catalogue| catalogue.registry().clone()) {
                    self.varies.store(true, Ordering::Relaxed);
                    self.former.spawn(async move { former.idle().await });
                }
                let catalogue = Arc::new(Catalogue::new(tools.clone(), Arc::clone(&self.settings)));
                *latest = Some(Arc::clone(&catalogue));
                catalogue
            }
        }
    }
}

impl Offer {
    /// The tools that the caller may call, by name: what it is told of.
    pub(crate) fn callable(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.registry.callable()
    }

    /// Those of them that are shown as tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.callable().filter(|tool| self.is_tool(tool))
    }

    /// Whether a tool is shown as one.
    pub(crate) fn is_tool(&self, tool: &ToolDefinition) -> bool {
        self.catalogue.settings().surfaces == Surfaces::Inclusive || Surface::of(tool) == Surface::Tool
    }

    /// Refuses a tool that is read and not called.
    ///
    /// # Errors
    ///
    /// Where it is read.
    pub(crate) fn is_called(&self, name: &str) -> Result<(), ErrorData> {
        let Some(tool) = self.registry.get(name).filter(|tool| !self.is_tool(tool)) else { return Ok(()) };
        let uri = self.catalogue.pattern(tool).map(|pattern| pattern.as_str().to_owned());
        let message = format!("Tool not found: {name}; read it at {}", uri.unwrap_or_default());
        Err(ErrorData::invalid_params(message, None))
    }

    /// The name of the server that a tool is of.
    pub(crate) fn server(&self, tool: &ToolDefinition) -> &str {
        self.catalogue.server(tool.name())
    }

    /// The servers that have tools, by name.
    pub(crate) fn servers(&self) -> Vec<&str> {
        let servers: BTreeSet<&str> = self.tools().map(|tool| self.server(tool)).collect();
        servers.into_iter().collect()
    }

    /// Whether what lives somewhere is there for the caller.
    pub(crate) fn shows(&self, target: &Target) -> bool {
        match target {
            Target::Tool(name) => self.registry.admits(name).is_ok(),
            Target::Tools | Target::Page | Target::Resource(_) | Target::Template(_) => true,
        }
    }
}
