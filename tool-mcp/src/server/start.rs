//! From a `Server` to the handler of its requests, with all errors of the setup.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rmcp::model::Implementation;
use tool_core::adapter::{self, ListenAddr, Serve, ServeCommand, ServeOptions};
use tool_core::{BoxFuture, Principal};

use crate::catalog::RESERVED;
use crate::catalog::uri::Scheme;
use crate::catalog::view::{CatalogView, CatalogViews};
use crate::elicitation::{StateKey, StateSealer};
use crate::error::ServeError;
use crate::handlers::Handler;
use crate::server::Server;
use crate::settings::Settings;

/// How long a start waits for the tools of a provider, in order to check them.
const CHECK_PATIENCE: Duration = Duration::from_secs(1);

impl Server {
    /// Returns the handler of requests, after a check of the tools and settings. Tools that are not available in time are served
    /// when they are, without this check.
    pub(crate) async fn checked_handler(
        &self,
        caller: Option<Principal>,
    ) -> Result<Arc<Handler>, ServeError> {
        let handler = self.handler(caller)?;
        if let Ok(checked) = tokio::time::timeout(CHECK_PATIENCE, check(&handler)).await {
            checked?;
        }
        Ok(handler)
    }

    /// Returns the handler without waiting. A registry is checked; another provider only if its tools are available at once.
    pub(crate) fn handler_checked_at_once(
        &self,
        caller: Option<Principal>,
    ) -> Result<Arc<Handler>, ServeError> {
        let handler = self.handler(caller)?;
        if let Poll::Ready(checked) = pin!(check(&handler)).poll(&mut Context::from_waker(Waker::noop())) {
            checked?;
        }
        Ok(handler)
    }

    fn handler(&self, caller: Option<Principal>) -> Result<Arc<Handler>, ServeError> {
        let settings = self.settings()?;
        let instructions =
            self.instructions.clone().or_else(|| settings.file.instructions().map(str::to_owned));
        let views = CatalogViews::new(self.provider.clone(), caller, Arc::new(settings));
        let keys = self.keys.clone().map_or_else(|| StateKey::random().map(|key| vec![key]), Ok);
        let keys = keys.map_err(|error| ServeError::Setup(format!("cannot create a random key: {error}")))?;
        let sealer = StateSealer::new(&keys, self.answer_timeout)
            .map_err(|_| ServeError::Setup("`request_state_keys` needs at least one key".to_owned()))?;
        let (changes, updates) = (self.changes.clone(), self.updates.clone());
        Ok(Arc::new(Handler::new(views, changes, updates, self.identity(), instructions, sealer)))
    }

    /// Returns the name and version of the server, which the protocol requires. Only the application has them: those of this crate
    /// would mislead.
    fn identity(&self) -> Implementation {
        let mut identity = self.identity.clone();
        if identity.name.is_empty() {
            let program = std::env::current_exe().ok();
            let stem = program.as_deref().and_then(|path| path.file_stem()).and_then(|stem| stem.to_str());
            stem.unwrap_or("mcp-server").clone_into(&mut identity.name);
        }
        if identity.version.is_empty() {
            "unknown".clone_into(&mut identity.version);
        }
        identity
    }

    fn settings(&self) -> Result<Settings, ServeError> {
        let mut faults = Vec::new();
        let scheme = match &self.scheme {
            None => Some(Scheme::of_name(&self.identity().name)),
            Some(scheme) => Scheme::parse(scheme),
        };
        if let (None, Some(scheme)) = (&scheme, &self.scheme) {
            faults.push(format!(
                "`{scheme}` is not a URI scheme: a letter, then letters, digits, `+`, `-`, `.`"
            ));
        }
        let mut prompts = BTreeMap::new();
        for prompt in self.prompts.iter().cloned().chain(self.settings.file.prompts()) {
            match prompts.entry(prompt.name.clone()) {
                Entry::Vacant(entry) => drop(entry.insert(prompt)),
                Entry::Occupied(entry) => faults.push(format!("two prompts are named `{}`", entry.key())),
            }
        }
        if !faults.is_empty() {
            return Err(ServeError::Setup(faults.join("\n")));
        }
        let (scheme, name) = (scheme.unwrap_or_default(), self.identity().name);
        Ok(Settings { scheme, name, prompts, ..self.settings.clone() })
    }
}

impl Serve for Server {
    fn command(&self) -> ServeCommand {
        ServeCommand::new("Serve MCP, on stdio unless --addr is given", ListenAddr::Optional).mcp_stdio(true)
    }

    fn serve(mut self, options: ServeOptions) -> BoxFuture<'static, Result<(), adapter::ServeError>> {
        if self.identity.name.is_empty() {
            self.identity.name.clone_from(&options.name);
        }
        if self.identity.version.is_empty() {
            self.identity.version.clone_from(&options.version);
        }
        Box::pin(async move {
            let Some(addr) = options.addr else {
                return Ok(self.serve_stdio_until(options.shutdown()).await?);
            };
            let server = self.serve_http(addr).await?;
            options.listening(server.local_addr());
            Ok(server.run_until(options.shutdown()).await?)
        })
    }
}

/// Checks the tools and settings. Tools that are not available yet are no error: the reason is logged, and requests fail.
async fn check(handler: &Handler) -> Result<(), ServeError> {
    let Ok(CatalogView { catalog, .. }) = handler.views.now(None).await else { return Ok(()) };
    let registry = catalog.registry();
    registry.check()?;
    adapter::check_addresses(registry, &RESERVED)?;
    let of_resources = catalog.resources().faults.iter().cloned();
    let faults: Vec<String> = of_resources.chain(catalog.settings.faults(registry)).collect();
    if faults.is_empty() { Ok(()) } else { Err(ServeError::Setup(faults.join("\n"))) }
}
