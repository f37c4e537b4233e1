//! Tools that return stored data.

use serde_json::json;
use tool_core::{Reader, ToolError, tool};

use super::{node_ids, owners, user_names};
use crate::model::{
    Langcode, Node, NodeId, NodeKind, NodeSummary, Overview, Revision, RevisionSummary, Translation,
};
use crate::role::User;
use crate::site::{Query, Site};
use crate::texts;

/// Sums up the whole site: nodes by kind, revisions, translations by language, messages that wait.
#[tool(operation = Read, title = "Overview", path = "site", permission = "node.view", open_world = false)]
async fn site_overview(#[inject] site: Reader<Site>) -> Result<Overview, ToolError> {
    Ok(site.overview().await?)
}

/// Returns a page of the site with its text, tags and components, as its newest revision says, published or not.
#[tool(
    operation = Read,
    title = "Node",
    path = "node/{id}",
    permission = "node.view",
    tags = ["nodes"],
    open_world = false
)]
async fn get_node(
    #[inject] site: Reader<Site>,
    /// Number of the node, as `find_nodes` returns it.
    #[arg(locator, example = 2, complete = node_ids)]
    id: NodeId,
) -> Result<Node, ToolError> {
    Ok(site.node(id).await?)
}

/// Lists who saved a node when and why, the newest revision first, without what it said.
#[tool(
    operation = Read,
    title = "Revisions of a node",
    path = "node/{id}/revision",
    permission = "node.view",
    tags = ["nodes"],
    open_world = false
)]
async fn list_revisions(
    #[inject] site: Reader<Site>,
    /// Number of the node.
    #[arg(locator, example = 1, complete = node_ids)]
    id: NodeId,
) -> Result<Vec<RevisionSummary>, ToolError> {
    Ok(site.revisions(id).await?)
}

/// Returns what a node said when it was saved that time, and who saved it.
#[tool(
    operation = Read,
    title = "Revision of a node",
    path = "node/{id}/revision/{vid}",
    permission = "node.view",
    tags = ["nodes"],
    open_world = false
)]
async fn get_revision(
    #[inject] site: Reader<Site>,
    /// Number of the node.
    #[arg(locator, example = 1, complete = node_ids)]
    id: NodeId,
    /// Number of the revision, as `list_revisions` returns it.
    #[arg(locator, example = 2, range(min = 1))]
    vid: u32,
) -> Result<Revision, ToolError> {
    Ok(site.revision(id, vid).await?)
}

/// Returns a node in another language, and whether the original has changed since.
#[tool(
    operation = Read,
    title = "Translation of a node",
    path = "node/{id}/translation/{langcode}",
    permission = "node.view",
    tags = ["translations"],
    open_world = false
)]
async fn get_translation(
    #[inject] site: Reader<Site>,
    /// Number of the node.
    #[arg(locator, example = 1, complete = node_ids)]
    id: NodeId,
    /// Language of the translation.
    #[arg(locator, example = "de")]
    langcode: Langcode,
) -> Result<Translation, ToolError> {
    Ok(site.translation(id, langcode).await?)
}

/// Finds nodes by words, kind, tags, owner and whether visitors see them; those that match everything given.
#[tool(operation = Read, title = "Find nodes", permission = "node.view", tags = ["nodes"], open_world = false)]
#[allow(clippy::too_many_arguments)]
async fn find_nodes(
    #[inject] site: Reader<Site>,
    /// Only nodes whose title or text contains these words as they stand, whatever the case of the letters.
    #[arg(example = "low water", length(min = 1, max = 200))]
    text: Option<String>,
    /// Only nodes of this kind.
    kind: Option<NodeKind>,
    /// Only nodes that have all of these tags.
    #[arg(default, length(max = 12))]
    tags: Vec<String>,
    /// Only nodes that belong to this user.
    #[arg(complete = owners)]
    owner: Option<String>,
    /// Only nodes that visitors see, or with `false` only those that they do not.
    published: Option<bool>,
    /// How many to return at most.
    #[arg(default = 20, range(min = 1, max = 100))]
    limit: u32,
) -> Result<Vec<NodeSummary>, ToolError> {
    texts::check(&json!({"text": text, "tags": tags, "owner": owner}))?;
    Ok(site.find(&Query { text, kind, tags, owner, published, limit }).await?)
}

/// Returns somebody who works on the site, with roles and permissions.
#[tool(
    operation = Read,
    title = "User",
    path = "user/{name}",
    permission = any("user.view", "user.manage"),
    tags = ["users"],
    open_world = false
)]
async fn get_user(
    #[inject] site: Reader<Site>,
    /// The short name that the user calls by.
    #[arg(locator, example = "mira", complete = user_names)]
    name: String,
) -> Result<User, ToolError> {
    Ok(site.user(&name).await?)
}
