//! What is written once for a registry that does not change.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tool_core::Registry;

use crate::refusal::Refusal;
use crate::representation::Representation;

/// What can be asked for that names every tool.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Document {
    /// `GET /tools`.
    List,
    /// `GET /tools?detail=full`.
    FullList,
    /// `GET /openapi.json`.
    OpenApi,
}

/// The documents of the registry that the provider has returned last. A provider that always returns the same one has each
/// written once; a provider that returns another one every time gains and loses nothing.
#[derive(Debug, Default)]
pub(crate) struct Documents(Mutex<Option<Arc<Written>>>);

#[derive(Debug)]
struct Written {
    registry: Registry,
    documents: [OnceLock<Representation>; 3],
}

impl Documents {
    /// The document, as it was written for this registry or is written now. It must be the same for every caller, and at
    /// any time.
    pub(crate) fn get(
        &self,
        document: Document,
        registry: &Registry,
        write: impl FnOnce() -> Result<Representation, Refusal>,
    ) -> Result<Representation, Refusal> {
        let written = self.of(registry);
        let place = &written.documents[document as usize];
        if let Some(representation) = place.get() {
            return Ok(representation.clone());
        }
        // Two may write it at the same time: it is the same text.
        let representation = write()?;
        Ok(place.get_or_init(|| representation).clone())
    }

    /// The document, if it was written for this registry.
    pub(crate) fn written(&self, document: Document, registry: &Registry) -> Option<Representation> {
        // Nothing panics while it is held.
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = last.as_ref().filter(|written| written.registry.ptr_eq(registry))?;
        written.documents[document as usize].get().cloned()
    }

    fn of(&self, registry: &Registry) -> Arc<Written> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(written) if written.registry.ptr_eq(registry) => Arc::clone(written),
            _ => {
                let written = Arc::new(Written { registry: registry.clone(), documents: Default::default() });
                *last = Some(Arc::clone(&written));
                written
            }
        }
    }
}
