//! The tools: each a plain function over the [`Site`], declared once.

use tool_core::{Access, Context, Principal, ToolError, Writer};

use crate::model::NodeId;
use crate::role::EDIT_ANY;
use crate::site::{Site, SiteError};

pub mod explain;
pub mod publish;
pub mod read;
pub mod transform;
pub mod write;

/// Whether a node is the caller's own, or the caller may change those of others.
fn may_edit(principal: &Principal, id: &NodeId, site: &Writer<Site>) -> Access {
    if principal.has(EDIT_ANY) {
        return Access::Allow;
    }
    // One row by its key, for which nobody waits: a writer does not stop readers.
    match site.owner(*id) {
        Ok(owner) if principal.id() == Some(owner.as_str()) => Access::Allow,
        Ok(owner) => Access::deny(format!("node {id} belongs to {owner}: ask {owner} or an editor")),
        // The tool itself says so, in its own words.
        Err(SiteError::NoNode(_)) => Access::Allow,
        Err(error) => {
            tracing::error!(%error, "the owner of a node cannot be looked up");
            Access::deny("whom the node belongs to cannot be found out at the moment")
        }
    }
}

/// The name under which a change is stored.
fn author(context: &Context) -> Result<String, ToolError> {
    let id = context.principal().id().map(str::to_owned);
    id.ok_or_else(|| ToolError::failed("a change needs an author: say who you are"))
}

/// The nodes whose number begins with what was typed.
fn node_ids(typed: &str, site: &Site) -> Vec<String> {
    let ids = site.reader().ids().unwrap_or_default();
    ids.iter().map(ToString::to_string).filter(|id| id.starts_with(typed)).collect()
}

/// The users whose name begins with what was typed.
fn user_names(typed: &str, site: &Site) -> Vec<String> {
    let names = site.reader().user_names().unwrap_or_default();
    names.into_iter().filter(|name| name.starts_with(typed)).collect()
}
