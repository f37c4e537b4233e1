//! The tools: functions over the [`Site`], each declared once.

use tool_core::{Access, Context, Principal, ToolError, Writer};

use crate::model::NodeId;
use crate::role::EDIT_ANY;
use crate::site::{Site, SiteError};

pub mod explain;
pub mod publish;
pub mod read;
pub mod transfer;
pub mod transform;
pub mod write;

/// Allows the owner of a node, and users who may change the nodes of others.
async fn may_edit(principal: &Principal, id: &NodeId, site: &Writer<Site>) -> Access {
    if principal.has(EDIT_ANY) {
        return Access::Allow;
    }
    // One row by its key.
    match site.owner(*id).await {
        Ok(owner) if principal.id() == Some(owner.as_str()) => Access::Allow,
        Ok(owner) => Access::deny(format!("node {id} belongs to {owner}: ask {owner} or an editor")),
        // Not allowed: somebody else may create it before the tool runs.
        Err(error @ SiteError::NoNode(_)) => Access::deny(error.to_string()),
        Err(error) => {
            tracing::error!(%error, "the owner of a node cannot be looked up");
            Access::deny("whom the node belongs to cannot be found out at the moment")
        }
    }
}

/// Returns the name of the caller, for the change.
fn author(context: &Context) -> Result<String, ToolError> {
    let id = context.principal().id().map(str::to_owned);
    id.ok_or_else(|| ToolError::failed("a change needs an author: say who you are"))
}

/// Completes the numbers of nodes.
async fn node_ids(typed: &str, site: &Site) -> Vec<String> {
    let ids = site.reader().ids().await.unwrap_or_default();
    ids.iter().map(ToString::to_string).filter(|id| id.starts_with(typed)).collect()
}

/// Completes the names of users that nodes belong to.
async fn owners(typed: &str, site: &Site) -> Vec<String> {
    let names = site.reader().owners().await.unwrap_or_default();
    names.into_iter().filter(|name| name.starts_with(typed)).collect()
}

/// Completes the names of users.
async fn user_names(typed: &str, site: &Site) -> Vec<String> {
    let names = site.reader().user_names().await.unwrap_or_default();
    names.into_iter().filter(|name| name.starts_with(typed)).collect()
}
