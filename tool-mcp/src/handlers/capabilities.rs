//! What the server says that it can do.

use rmcp::model::ServerCapabilities;

/// All that there may be; that lists and resources change, only where somebody tells of it.
pub(super) fn all(lists_change: bool, resources_change: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    capabilities.completions.get_or_insert_default();
    capabilities.logging.get_or_insert_default();
    capabilities.prompts.get_or_insert_default();
    capabilities.resources.get_or_insert_default();
    capabilities.tools.get_or_insert_default();
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
