//! A cache of rendered documents.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tool_core::adapter::Recent;
use tool_core::{Registry, adapter};

use crate::error::ApiError;
use crate::representation::Representation;

/// A document that contains every tool.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Document {
    /// `GET /tools`.
    List,
    /// `GET /tools?detail=full`.
    FullList,
    /// `GET /openapi.json`.
    OpenApi,
    /// `GET /openapi.json?version=3.0`.
    OpenApi3_0,
}

/// The rendered documents of the last registries. Effective if the provider returns the same registries again.
#[derive(Debug, Default)]
pub(crate) struct DocumentCache(Mutex<Recent<Arc<CachedDocuments>>>);

#[derive(Debug)]
struct CachedDocuments {
    registry: Registry,
    documents: [OnceLock<Representation>; 4],
}

impl DocumentCache {
    /// Returns the cached document of this registry, or renders it. It must not depend on the caller or the time.
    pub(crate) fn get_or_render(
        &self,
        document: Document,
        registry: &Registry,
        render: impl FnOnce() -> Result<Representation, ApiError>,
    ) -> Result<Representation, ApiError> {
        let cached = self.documents_for(registry);
        let slot = &cached.documents[document as usize];
        if let Some(representation) = slot.get() {
            return Ok(representation.clone());
        }
        // Two requests may render it at the same time, with the same result.
        let representation = render()?;
        Ok(slot.get_or_init(|| representation).clone())
    }

    /// Returns the document, if it was rendered for this registry.
    pub(crate) fn get(&self, document: Document, registry: &Registry) -> Option<Representation> {
        // Nothing panics while it is held.
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = recent.find(|cached| adapter::ptr_eq(&cached.registry, registry))?;
        cached.documents[document as usize].get().cloned()
    }

    fn documents_for(&self, registry: &Registry) -> Arc<CachedDocuments> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = recent.find(|cached| adapter::ptr_eq(&cached.registry, registry)) {
            return Arc::clone(cached);
        }
        let cached = Arc::new(CachedDocuments { registry: registry.clone(), documents: Default::default() });
        let dropped = recent.push(Arc::clone(&cached), adapter::definitions(registry).len());
        drop(recent);
        // Dropping a registry takes time, so it happens without the lock.
        drop(dropped);
        cached
    }
}
