//! What is there at a moment: a tool and a prompt come and go, and a resource changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tool_core::provider::{IntoToolsProvider as _, Provider};
use tool_core::{BuildErrors, Registry, State, prompt, tool};
use tool_mcp::{Changes, Updates};

use crate::resources::WATCHED;

/// The state of the fixtures, and who is told that it changes.
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

    /// All fixtures, with the guests or without them. Both registries are built once, and one of them is served.
    pub(crate) fn provider(self: &Arc<Self>) -> Result<Provider, BuildErrors> {
        let all = || Registry::builder().linked().expect_crate("conformance").shared_state(Arc::clone(self));
        let with_guests = all().build()?;
        let alone = all()
            .select(|tool| tool.name() != "guest_tool")
            .select_prompts(|prompt| prompt.name() != "guest_prompt")
            .build()?;
        let stage = Arc::clone(self);
        let now = move || {
            let guests = stage.guests.load(Ordering::Relaxed);
            if guests { with_guests.clone() } else { alone.clone() }
        };
        Ok(now.into_provider())
    }

    /// How often the resource that changes has changed.
    pub(crate) fn edition(&self) -> u64 {
        self.edition.load(Ordering::Relaxed)
    }

    /// Changes it, and tells whoever wants to know.
    pub(crate) fn publish(&self) -> u64 {
        let edition = self.edition.fetch_add(1, Ordering::Relaxed) + 1;
        self.updates.notify(WATCHED);
        edition
    }

    /// The guests come, or go, and whoever listens is told that the lists have changed.
    fn turn(&self) -> &'static str {
        let were_there = self.guests.fetch_xor(true, Ordering::Relaxed);
        self.changes.notify();
        if were_there { "The guests have gone." } else { "The guests have come." }
    }
}

/// Changes the list of tools.
#[tool(operation = Trigger, destructive = false, open_world = false)]
fn test_trigger_tool_change(#[inject] stage: State<Stage>) -> &'static str {
    stage.turn()
}

/// Changes the list of prompts.
#[tool(operation = Trigger, destructive = false, open_world = false)]
fn test_trigger_prompt_change(#[inject] stage: State<Stage>) -> &'static str {
    stage.turn()
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
