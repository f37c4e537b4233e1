//! Tools that derive something from stored data.

use jiff::Timestamp;
use tool_core::{Reader, State, ToolError, tool};

use super::node_ids;
use crate::model::{Content, Langcode, NodeId};
use crate::preview::{Preview, PreviewLink};
use crate::render;
use crate::settings::{Settings, SigningKey, signing_key};
use crate::site::Site;

/// Renders a node as visitors would see its newest revision: HTML, in English or in a translation.
#[tool(operation = Transform, title = "Render", permission = "node.view", tags = ["nodes"], open_world = false)]
async fn render_node(
    #[inject] site: Reader<Site>,
    /// Number of the node.
    #[arg(example = 2, complete = node_ids)]
    id: NodeId,
    /// Language of the page; English unless given. Components are not translated.
    langcode: Option<Langcode>,
) -> Result<String, ToolError> {
    let content = site.node(id).await?.content;
    let Some(langcode) = langcode else { return Ok(render::page(&content)) };
    let translation = site.translation(id, langcode).await?;
    Ok(render::page(&Content { title: translation.title, body: translation.body, ..content }))
}

/// Compares two revisions of a node line by line and returns a unified diff, empty if they say the same.
#[tool(operation = Transform, title = "Compare", permission = "node.view", tags = ["nodes"], open_world = false)]
async fn compare_revisions(
    #[inject] site: Reader<Site>,
    /// Number of the node.
    #[arg(example = 1, complete = node_ids)]
    id: NodeId,
    /// Number of the revision before.
    #[arg(example = 1, range(min = 1))]
    from: u32,
    /// Number of the revision after it.
    #[arg(example = 2, range(min = 1))]
    to: u32,
) -> Result<String, ToolError> {
    let (before, after) = site.two_revisions(id, (from, to)).await?;
    let name = |vid| format!("node/{id}/revision/{vid}");
    let (before, after) = (render::lines(&before.content), render::lines(&after.content));
    Ok(render::difference((&name(from), &before), (&name(to), &after)))
}

/// Makes a link under which whoever has it sees one revision for some time, published or not.
#[tool(
    operation = Transform,
    idempotent = false,
    title = "Preview link",
    permission = all("node.view", "node.edit"),
    requires = [signing_key],
    tags = ["previews"],
    open_world = false
)]
async fn preview_link(
    #[inject] site: Reader<Site>,
    #[inject] settings: State<Settings>,
    /// Number of the node.
    #[arg(example = 6, complete = node_ids)]
    id: NodeId,
    /// Number of the revision; the newest one unless given.
    #[arg(range(min = 1))]
    vid: Option<u32>,
    /// For how many minutes the link works.
    #[arg(default = 60, range(min = 1, max = 10080))]
    minutes: u16,
) -> Result<PreviewLink, ToolError> {
    let vid = match vid {
        Some(vid) => vid,
        None => site.node(id).await?.revision,
    };
    let revision = site.revision(id, vid).await?;
    Ok(Preview::of(id, revision.vid, Timestamp::now(), minutes).link(key(&settings)?))
}

/// Shows as HTML what a preview link leads to. Nobody is asked for a permission: the link is one.
#[tool(
    operation = Transform,
    title = "Open a preview",
    requires = [signing_key],
    tags = ["previews"],
    open_world = false
)]
async fn open_preview(
    #[inject] site: Reader<Site>,
    #[inject] settings: State<Settings>,
    /// What `preview_link` has returned; as good as a password.
    #[arg(secret)]
    link: String,
) -> Result<String, ToolError> {
    let Some(preview) = Preview::open(&link, key(&settings)?, Timestamp::now()) else {
        return Err(ToolError::not_found("this is no link to a preview, or not any more"));
    };
    Ok(render::page(&site.revision(preview.id, preview.vid).await?.content))
}

/// Returns the required key, which may be missing if the requirement is not enforced.
pub(super) fn key(settings: &Settings) -> Result<&SigningKey, ToolError> {
    settings.signing_key.as_ref().ok_or_else(|| ToolError::unavailable("there is no signing key"))
}
