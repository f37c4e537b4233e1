//! Fixtures that change: a tool and a prompt come and go, and a resource is updated.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tool_core::provider::{IntoToolsProvider as _, Provider};
use tool_core::tasks::TaskEngine;
use tool_core::{BuildErrors, Registry, State, prompt, tool};
use tool_mcp::{Changes, Updates};

use crate::resources::WATCHED;

/// The state of the fixtures and the notifiers of its changes.
pub(crate) struct Stage {
    guests: AtomicBool,
    edition: AtomicU64,
    changes: Changes,
    updates: Updates,
}

impl Stage {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Stage {
            guests: AtomicBool::new(false),
            edition: AtomicU64::new(0),
            changes: Changes::new(),
            updates: Updates::new(),
        })
    }

    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    pub(crate) fn updates(&self) -> &Updates {
        &self.updates
    }

    /// Returns a provider of all fixtures, with or without the guests, and the registry that runs their tasks. Both registries
    /// are built once.
    pub(crate) fn provider(
        self: &Arc<Self>,
        engine: &Arc<dyn TaskEngine>,
    ) -> Result<(Provider, Registry), BuildErrors> {
        let all = || {
            let fixtures = Registry::builder().linked().expect_crate("conformance");
            fixtures.shared_state(Arc::clone(self)).tasks(Arc::clone(engine))
        };
        let with_guests = all().build()?;
        let tasks = with_guests.clone();
        let without_guests = all()
            .select(|tool| tool.name() != "guest_tool")
            .select_prompts(|prompt| prompt.name() != "guest_prompt")
            .build()?;
        let stage = Arc::clone(self);
        let now = move || {
            let guests = stage.guests.load(Ordering::Relaxed);
            if guests { with_guests.clone() } else { without_guests.clone() }
        };
        Ok((now.into_provider(), tasks))
    }

    /// Returns the number of changes of the resource.
    pub(crate) fn edition(&self) -> u64 {
        self.edition.load(Ordering::Relaxed)
    }

    /// Changes the resource and notifies subscribers.
    pub(crate) fn publish(&self) -> u64 {
        let edition = self.edition.fetch_add(1, Ordering::Relaxed) + 1;
        self.updates.notify(WATCHED);
        edition
    }

    /// Adds or removes the guests and notifies clients that the lists have changed.
    fn toggle_guests(&self) -> &'static str {
        let were_present = self.guests.fetch_xor(true, Ordering::Relaxed);
        self.changes.notify();
        if were_present { "The guests have gone." } else { "The guests have come." }
    }
}

/// Changes the list of tools.
#[tool(operation = Trigger, destructive = false, open_world = false)]
fn test_trigger_tool_change(#[inject] stage: State<Stage>) -> &'static str {
    stage.toggle_guests()
}

/// Changes the list of prompts.
#[tool(operation = Trigger, destructive = false, open_world = false)]
fn test_trigger_prompt_change(#[inject] stage: State<Stage>) -> &'static str {
    stage.toggle_guests()
}

/// Is there now and then.
#[tool(operation = Explain, open_world = false)]
fn guest_tool() -> &'static str {
    "I am just passing through."
}

/// Is there now and then.
#[prompt]
fn guest_prompt() -> &'static str {
    "What is to be seen here?"
}
