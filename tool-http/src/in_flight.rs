//! The registries with running calls, for the shutdown of a server whose provider may return other registries by then.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Waker};

use tool_core::{Registry, adapter};

/// The registries whose tools were called, each while one of these calls may still run.
#[derive(Debug, Default)]
pub(crate) struct InFlightCalls(Mutex<Vec<CallGuard>>);

/// Keeps a registry in [`InFlightCalls`].
pub(crate) type CallGuard = Arc<Registry>;

impl InFlightCalls {
    /// Adds a registry until the guard is dropped and the registry is idle.
    pub(crate) fn track(&self, registry: &Registry) -> CallGuard {
        // Nothing panics while it is held.
        let mut registries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(guard) = registries.iter().find(|guard| adapter::ptr_eq(guard, registry)) {
            return Arc::clone(guard);
        }
        registries.retain(|registry| Arc::strong_count(registry) > 1 || !is_idle(registry));
        let guard = Arc::new(registry.clone());
        registries.push(Arc::clone(&guard));
        guard
    }

    /// Waits until all registries are idle.
    pub(crate) async fn drain(&self) {
        // A tool can call a tool of a registry that was idle before.
        while let Some(busy) = self.next_busy() {
            busy.drain().await;
        }
    }

    fn next_busy(&self) -> Option<CallGuard> {
        let registries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        registries.iter().find(|registry| !is_idle(registry)).cloned()
    }
}

fn is_idle(registry: &Registry) -> bool {
    pin!(registry.drain()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[cfg(test)]
mod tests {
    use tool_core::Registry;

    use super::InFlightCalls;

    #[test]
    fn forgets_idle_registries() {
        let registry = || Registry::builder().allow_empty().build().unwrap();
        let in_flight = InFlightCalls::default();
        let (first, second) = (registry(), registry());
        let held = in_flight.track(&first);
        drop(in_flight.track(&second));
        drop(in_flight.track(&first.as_principal(tool_core::Principal::anonymous())));
        assert_eq!(in_flight.0.lock().unwrap().len(), 2);
        drop(held);
        drop(in_flight.track(&registry()));
        assert_eq!(in_flight.0.lock().unwrap().len(), 1);
    }
}
