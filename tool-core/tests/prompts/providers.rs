//! Prompts of registries that are part of a provider.

use std::sync::Arc;

use serde_json::json;
use tool_core::provider::{IntoToolsProvider, Providers, Skipped};
use tool_core::{Principal, Registry, Tool, prompt, prompts};

use super::text;

/// Asks for more.
#[prompt]
fn more() -> &'static str {
    "More, please."
}

mod other {
    /// Asks for more of the same.
    #[tool_core::prompt]
    pub(super) fn more() -> &'static str {
        "More of the same, please."
    }
}

#[test]
fn includes_prompts_of_its_registries() {
    let registry = || Registry::builder().prompts(prompts![more]).build().unwrap();
    let other = Registry::builder().prompts(prompts![other::more]).build().unwrap();
    let joined = Providers::new().with("first", registry()).with("second", other);
    for (provider, duplicates) in [
        (registry().into_provider(), 0),
        (registry().providing(Vec::<Arc<dyn Tool>>::new), 0),
        (joined.into_provider(), 1),
    ] {
        let tools = tool_core::private::block_on(provider.tools(&Principal::anonymous())).unwrap();
        assert_eq!(text(tools.registry(), "more", json!({})), "More, please.");
        assert_eq!(tools.registry().prompts().len(), 1);
        let is_duplicate = |skipped: &&Skipped| matches!(skipped, Skipped::DuplicatePrompt { .. });
        assert_eq!(tools.skipped().iter().filter(is_duplicate).count(), duplicates);
    }
}
