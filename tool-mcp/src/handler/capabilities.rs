//! What the server says that it can do.

use rmcp::model::ServerCapabilities;

/// All that there may be; that lists and resources change, only where somebody tells of it.
#[expect(deprecated, reason = "the protocol gives up logging in time; until then clients ask for it")]
pub(super) fn all(lists_change: bool, resources_change: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_logging()
        .enable_prompts()
        .enable_resources()
        .enable_tools()
        .build();
    if lists_change {
        capabilities.tools.get_or_insert_default().list_changed = Some(true);
        capabilities.prompts.get_or_insert_default().list_changed = Some(true);
        capabilities.resources.get_or_insert_default().list_changed = Some(true);
    }
    if resources_change {
        capabilities.resources.get_or_insert_default().subscribe = Some(true);
    }
    capabilities
}
