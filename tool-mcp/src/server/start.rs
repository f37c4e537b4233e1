//! From what the application said to what answers, and everything that is wrong with it before anybody is served.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use tool_core::Principal;

use crate::catalogue::{Catalogue, RESERVED};
use crate::error::ServeError;
use crate::handler::Handler;
use crate::http::Endpoint;
use crate::server::Server;
use crate::settings::Settings;
use crate::uri::Scheme;

impl Server {
    pub(super) fn endpoint(&self, settings: Arc<Settings>) -> Endpoint {
        // Nobody has asked yet who sends a request.
        Endpoint::new(self.handler(Some(Principal::anonymous()), settings), &self.policy)
    }

    pub(super) fn handler(&self, caller: Option<Principal>, settings: Arc<Settings>) -> Arc<Handler> {
        let identity = self.identity.clone();
        let instructions = self.instructions.clone().or_else(|| self.file.instructions.clone());
        Arc::new(Handler::new(self.provider.clone(), caller, settings, identity, instructions))
    }

    pub(super) fn settings(&self) -> Result<Arc<Settings>, ServeError> {
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
            name: self.identity.name.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            prompts,
            file: self.file.clone(),
        }))
    }

    /// Finds out before anybody is served what cannot be. That the tools are not known yet is no reason not to start:
    /// it is in the log, and requests are told so.
    pub(super) async fn check(&self, settings: &Arc<Settings>) -> Result<(), ServeError> {
        let Ok(tools) = self.provider.tools().await else { return Ok(()) };
        let registry = tools.registry();
        registry.check()?;
        registry.check_addresses(&RESERVED)?;
        let catalogue = Catalogue::new(tools.clone(), Arc::clone(settings));
        let faults: Vec<String> =
            catalogue.places().faults.iter().cloned().chain(settings.faults(registry)).collect();
        if faults.is_empty() { Ok(()) } else { Err(ServeError::Setup(faults.join("\n"))) }
    }
}
