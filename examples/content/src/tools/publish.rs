//! Tools that publish, and notify other systems.

use tool_core::{State, ToolError, Writer, tool};

use super::node_ids;
use super::transform::key;
use crate::model::{Announced, NodeId};
use crate::settings::{Settings, signing_key};
use crate::site::Site;

/// Shows a revision of a page to visitors and puts a signed message about it into the outbox.
#[tool(
    operation = Trigger,
    destructive = false,
    title = "Publish a node",
    permission = all("node.view", "node.publish"),
    requires = [signing_key],
    tags = ["publishing"]
)]
async fn publish_node(
    #[inject] site: Writer<Site>,
    #[inject] settings: State<Settings>,
    /// Number of the node.
    #[arg(example = 3, complete = node_ids)]
    id: NodeId,
    /// Number of the revision; the newest one unless given.
    #[arg(range(min = 1))]
    vid: Option<u32>,
) -> Result<Announced, ToolError> {
    Ok(site.publish(id, vid, key(&settings)?).await?)
}

/// Takes a page off the public site, and announces in the outbox that it is gone. Its revisions are kept.
#[tool(
    operation = Trigger,
    destructive = true,
    idempotent = true,
    title = "Withdraw a node",
    permission = all("node.view", "node.publish"),
    requires = [signing_key],
    tags = ["publishing"]
)]
async fn withdraw_node(
    #[inject] site: Writer<Site>,
    #[inject] settings: State<Settings>,
    /// Number of the node.
    #[arg(example = 5, complete = node_ids)]
    id: NodeId,
) -> Result<Announced, ToolError> {
    Ok(site.withdraw(id, key(&settings)?).await?)
}
