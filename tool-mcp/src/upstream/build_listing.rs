//! Converts a list of tools, as a server sent it, to a listing.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use tokio::time::Instant;
use tool_core::Tool;
use tool_core::definition::DefinitionError;
use tool_core::provider::Toolset;

use crate::upstream::connection::UpstreamConnection;
use crate::upstream::definition::{ConvertedTool, convert_tool, unreadable_error};
use crate::upstream::listing::{Listing, empty_registry};
use crate::upstream::session::RawToolList;
use crate::upstream::tool::UpstreamTool;

/// The most warnings about a list that are logged. The others are counted.
const MAX_LOGGED: usize = 100;

/// Builds a listing, or reuses the tools of the previous one if the list has not changed.
pub(super) async fn build_listing(
    list: RawToolList,
    previous: Option<Arc<Listing>>,
    connection: &Arc<UpstreamConnection>,
) -> Arc<Listing> {
    let (received, fresh_for) = (Instant::now(), list.fresh_for);
    let fingerprint = fingerprint(&list);
    if let Some(previous) = previous.as_ref().filter(|previous| previous.fingerprint == fingerprint) {
        let (toolset, warnings) = (previous.toolset.clone(), Arc::clone(&previous.warnings));
        return Arc::new(Listing { fingerprint, toolset, warnings, received, fresh_for });
    }
    let builder = Arc::clone(connection);
    // Checking many schemas takes a while.
    let built = tokio::task::spawn_blocking(move || build_toolset(&list, &builder)).await;
    let (toolset, warnings) = built.unwrap_or_else(|error| {
        tracing::error!(%error, "building the tools of an upstream server panicked; serving none of them");
        (Toolset::from(empty_registry()), vec!["its list of tools could not be read".to_owned()])
    });
    log_new(connection.name(), &warnings, previous.as_deref());
    Arc::new(Listing { fingerprint, toolset, warnings: warnings.into(), received, fresh_for })
}

/// Logs the warnings that the previous list did not have.
fn log_new(server: &str, warnings: &[String], previous: Option<&Listing>) {
    let logged: HashSet<&String> = previous.iter().flat_map(|listing| listing.warnings.iter()).collect();
    let mut new = warnings.iter().filter(|warning| !logged.contains(warning)).peekable();
    for warning in new.by_ref().take(MAX_LOGGED) {
        tracing::warn!(server, warning, "tool of an upstream server is served in part");
    }
    if new.peek().is_some() {
        tracing::warn!(server, count = new.count(), "more tools of an upstream server are served in part");
    }
}

/// Returns a hash of the list.
fn fingerprint(list: &RawToolList) -> u64 {
    let mut hasher = DefaultHasher::new();
    list.unreadable.hash(&mut hasher);
    for tool in &list.tools {
        hasher.write(tool.to_string().as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

/// Returns the tools, and warnings about those that are served in part.
fn build_toolset(list: &RawToolList, connection: &Arc<UpstreamConnection>) -> (Toolset, Vec<String>) {
    let mut warnings = Vec::new();
    let unreadable = list.unreadable.iter().map(|tool| Err(unreadable_error(connection.name(), tool)));
    let tools: Vec<Result<Arc<dyn Tool>, DefinitionError>> = list
        .tools
        .iter()
        .map(|tool| {
            let ConvertedTool { definition, warning } =
                convert_tool(connection.name(), tool, connection.upstream.timeout)?;
            warnings.extend(warning);
            let remote_name = tool["name"].as_str().unwrap_or_default().to_owned();
            let connection = Arc::clone(connection);
            Ok(Arc::new(UpstreamTool { definition, remote_name, connection }) as Arc<dyn Tool>)
        })
        .chain(unreadable)
        .collect();
    (connection.policy.registry.toolset(tools), warnings)
}
