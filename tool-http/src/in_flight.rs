//! Which registries have calls on their way: a provider may have others by the time that a server ends.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Waker};

use tool_core::Registry;

/// The registries whose tools were called, each as long as one of these calls may be on its way.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<Vec<Held>>);

/// Keeps a registry among those that are waited for.
pub(crate) type Held = Arc<Registry>;

impl InFlight {
    /// Notes that a tool of this registry is called, from now until it is dropped and on as long as the registry is busy.
    pub(crate) fn hold(&self, registry: &Registry) -> Held {
        // Nothing panics while it is held.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = known.iter().find(|held| held.ptr_eq(registry)) {
            return Arc::clone(held);
        }
        known.retain(|held| Arc::strong_count(held) > 1 || !is_idle(held));
        let held = Arc::new(registry.clone());
        known.push(Arc::clone(&held));
        held
    }

    /// Waits until all of them are idle.
    pub(crate) async fn idle(&self) {
        // A tool can call one of a registry that was idle when it was looked at.
        while let Some(busy) = self.busy() {
            busy.drain().await;
        }
    }

    fn busy(&self) -> Option<Held> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|held| !is_idle(held)).cloned()
    }
}

fn is_idle(registry: &Registry) -> bool {
    pin!(registry.drain()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[cfg(test)]
mod tests {
    use tool_core::Registry;

    use super::InFlight;

    #[test]
    fn those_that_are_idle_are_forgotten() {
        let registry = || Registry::builder().allow_empty().build().unwrap();
        let in_flight = InFlight::default();
        let (first, second) = (registry(), registry());
        let held = in_flight.hold(&first);
        drop(in_flight.hold(&second));
        drop(in_flight.hold(&first.as_principal(tool_core::Principal::anonymous())));
        assert_eq!(in_flight.0.lock().unwrap().len(), 2);
        drop(held);
        drop(in_flight.hold(&registry()));
        assert_eq!(in_flight.0.lock().unwrap().len(), 1);
    }
}
