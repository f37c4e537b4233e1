//! Tools that change the site.

use std::collections::BTreeMap;

use serde_json::json;
use tool_core::{Context, ToolError, Writer, tool};

use super::{author, may_edit, node_ids};
use crate::component::{CalloutProps, CalloutVariant, Component};
use crate::model::{Content, Deleted, Langcode, NodeId, NodeKind, Saved};
use crate::site::{Change, Site, Translated};
use crate::texts;

/// Creates a page, which belongs to the caller and is seen by visitors when it is published.
///
/// ```tool
/// {
///   "kind": "article",
///   "title": "A seal in the harbour",
///   "body": "It slept on the slipway until the *tide* came.\n",
///   "tags": ["animals"],
///   "meta": {"description": "A visitor"},
///   "components": [
///     {"kind": "callout", "variant": "warning", "props": {"text": "Keep away."}}
///   ]
/// }
/// ```
#[tool(
    operation = Write,
    destructive = false,
    title = "Create a node",
    permission = "node.create",
    tags = ["nodes"],
    open_world = false
)]
async fn create_node(
    #[inject] site: Writer<Site>,
    #[inject] context: Context,
    /// What the page is for.
    #[arg(example = "article")]
    kind: NodeKind,
    #[arg(flatten)] content: Content,
) -> Result<Saved, ToolError> {
    texts::check(&json!(content))?;
    Ok(site.create(&author(&context)?, kind, &content).await?)
}

/// Saves a new revision of a page: what is not given stays, and older revisions are kept.
///
/// ```tool
/// {"id": 3, "base": 2, "title": "The boat that came home", "log": "A better headline"}
/// ```
#[tool(
    operation = Write,
    destructive = false,
    title = "Edit a node",
    permission = "node.edit",
    access = may_edit(id, site),
    tags = ["nodes"],
    open_world = false
)]
#[allow(clippy::too_many_arguments)]
async fn edit_node(
    #[inject] site: Writer<Site>,
    #[inject] context: Context,
    /// Number of the node.
    #[arg(example = 3, complete = node_ids)]
    id: NodeId,
    /// The revision that was read before this change; a newer one is then not overwritten.
    #[arg(range(min = 1))]
    base: Option<u32>,
    /// Headline of the page, one line.
    #[arg(length(min = 1, max = 120), example = "The boat that came home")]
    title: Option<String>,
    /// Text of the page, in Markdown.
    #[arg(length(max = 100_000))]
    body: Option<String>,
    /// All words that the page is found by, in place of those there were.
    #[arg(length(max = 12))]
    tags: Option<Vec<String>>,
    /// All that search engines and templates are told, in place of what there was.
    meta: Option<BTreeMap<String, String>>,
    /// Why it was changed, for those who read the list of revisions.
    #[arg(example = "A better headline", length(min = 1, max = 200))]
    log: String,
) -> Result<Saved, ToolError> {
    texts::check(&json!({"title": title, "body": body, "tags": tags, "meta": meta, "log": log}))?;
    let change = Change { base, title, body, tags, meta, component: None, log };
    Ok(site.change(id, &author(&context)?, change).await?)
}

/// Puts a notice on a page, as a new revision.
///
/// ```tool
/// {
///   "id": 6,
///   "variant": "warning",
///   "props": {"title": "Unfinished", "text": "The samples are still wet.", "link": {"label": "Why", "href": "/lab"}}
/// }
/// ```
#[tool(
    operation = Write,
    destructive = false,
    title = "Add a callout",
    permission = "node.edit",
    access = may_edit(id, site),
    tags = ["components", "nodes"],
    open_world = false
)]
async fn add_callout(
    #[inject] site: Writer<Site>,
    #[inject] context: Context,
    /// Number of the node.
    #[arg(example = 6, complete = node_ids)]
    id: NodeId,
    /// How urgent it is.
    #[arg(example = "warning")]
    variant: CalloutVariant,
    /// What it says.
    props: CalloutProps,
    /// Its place among the components of the page, from 0; behind the others unless given.
    place: Option<u16>,
) -> Result<Saved, ToolError> {
    texts::check(&json!({"props": props}))?;
    let component = Some((Component::Callout { variant, props }, place.map(usize::from)));
    let change = Change { component, log: "A callout".to_owned(), ..Change::default() };
    Ok(site.change(id, &author(&context)?, change).await?)
}

/// Stores the newest revision of a page in another language. An older translation into it is overwritten.
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Translate a node",
    permission = "node.translate",
    tags = ["translations"],
    open_world = false
)]
async fn translate_node(
    #[inject] site: Writer<Site>,
    #[inject] context: Context,
    /// Number of the node.
    #[arg(example = 4, complete = node_ids)]
    id: NodeId,
    /// Language of the translation.
    #[arg(example = "nl")]
    langcode: Langcode,
    /// Headline in this language.
    #[arg(example = "Hoe wij palingen tellen", length(min = 1, max = 120))]
    title: String,
    /// Text in this language, in Markdown.
    #[arg(example = "Elk voorjaar zetten we twee netten.", length(max = 100_000))]
    body: String,
) -> Result<Saved, ToolError> {
    texts::check(&json!({"title": title, "body": body}))?;
    Ok(site.translate(id, &author(&context)?, &Translated { langcode, title, body }).await?)
}

/// Deletes a page with all its revisions and translations, for good. What visitors see must be withdrawn first.
#[tool(
    operation = Write,
    destructive = true,
    idempotent = true,
    title = "Delete a node",
    permission = any("node.delete", "node.edit"),
    access = may_edit(id, site),
    tags = ["nodes"],
    open_world = false
)]
async fn delete_node(
    #[inject] site: Writer<Site>,
    /// Number of the node.
    #[arg(example = 6, complete = node_ids)]
    id: NodeId,
) -> Result<Deleted, ToolError> {
    Ok(site.delete(id).await?)
}
