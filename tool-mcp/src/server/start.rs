//! From what the application said to what answers, and everything that is wrong with it before anybody is served.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tool_core::{Principal, adapter};

use crate::catalog::RESERVED;
use crate::catalog::uri::Scheme;
use crate::catalog::view::{CatalogView, CatalogViews};
use crate::elicitation::{Key, Seal};
use crate::error::ServeError;
use crate::handlers::Handler;
use crate::server::Server;
use crate::settings::Settings;

impl Server {
    /// What answers, once all that cannot be served is found out.
    pub(crate) async fn opened(&self, caller: Option<Principal>) -> Result<Arc<Handler>, ServeError> {
        let handler = self.handler(caller)?;
        check(&handler).await?;
        Ok(handler)
    }

    /// The same where nothing can be waited for: a registry has its tools at once, and what must wait for them is asked by
    /// the first request.
    pub(crate) fn opened_at_once(&self, caller: Option<Principal>) -> Result<Arc<Handler>, ServeError> {
        let handler = self.handler(caller)?;
        match pin!(check(&handler)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(checked) => checked?,
            Poll::Pending => {}
        }
        Ok(handler)
    }

    fn handler(&self, caller: Option<Principal>) -> Result<Arc<Handler>, ServeError> {
        let identity = self.identity.clone();
        let instructions = self.instructions.clone().or_else(|| self.file.instructions().map(str::to_owned));
        let views = CatalogViews::new(self.provider.clone(), caller, self.settings()?);
        let key = self.key.map_or_else(Key::random, Ok);
        let key = key.map_err(|error| {
            ServeError::Setup(format!("there is no randomness to make a key of: {error}"))
        })?;
        let seal = Seal::new(key, self.patience);
        Ok(Arc::new(Handler::new(
            views,
            self.changes.clone(),
            self.updates.clone(),
            identity,
            instructions,
            seal,
        )))
    }

    fn settings(&self) -> Result<Arc<Settings>, ServeError> {
        let mut faults = Vec::new();
        let chosen = self.scheme.as_deref().and_then(|scheme| {
            let parsed = Scheme::parse(scheme);
            if parsed.is_none() {
                faults.push(format!(
                    "`{scheme}` is no scheme of a URI: a letter, then letters, digits, `+`, `-`, `.`"
                ));
            }
            parsed
        });
        let mut prompts = BTreeMap::new();
        for prompt in self.prompts.iter().cloned().chain(self.file.prompts()) {
            match prompts.entry(prompt.name.clone()) {
                Entry::Vacant(entry) => drop(entry.insert(prompt)),
                Entry::Occupied(entry) => faults.push(format!("two prompts are named `{}`", entry.key())),
            }
        }
        if !faults.is_empty() {
            return Err(ServeError::Setup(faults.join("\n")));
        }
        Ok(Arc::new(Settings {
            scheme: chosen.unwrap_or_else(|| Scheme::of_name(&self.identity.name)),
            surfaces: self.surfaces,
            discovery: self.discovery,
            page_size: self.page_size,
            tool_meta: self.tool_meta,
            name: self.identity.name.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            prompts,
            file: self.file.clone(),
        }))
    }
}

/// Finds out before anybody is served what cannot be. That the tools are not known yet is no reason not to start: it is in
/// the log, and requests are told so.
async fn check(handler: &Handler) -> Result<(), ServeError> {
    let Ok(CatalogView { catalog, .. }) = handler.views().now(None).await else { return Ok(()) };
    let registry = catalog.registry();
    registry.check()?;
    adapter::check_addresses(registry, &RESERVED)?;
    let of_places = catalog.places().faults.iter().cloned();
    let faults: Vec<String> = of_places.chain(catalog.settings().faults(registry)).collect();
    if faults.is_empty() { Ok(()) } else { Err(ServeError::Setup(faults.join("\n"))) }
}
