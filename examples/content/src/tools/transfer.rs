//! Tools that take long, and can run as tasks: they report progress, notice a cancellation, and may begin again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::results::{ResultStore, ResultStoreError};
use tool_core::{Context, Reader, State, ToolError, Writer, tool};

use super::author;
use crate::archive::Archive;
use crate::model::{Content, NodeId, NodeKind};
use crate::render;
use crate::site::{Query, Site};
use crate::texts;

/// An export of the site.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// How many pages it has.
    pub pages: u32,
    /// The size of the archive in bytes.
    pub bytes: usize,
    /// The digest of the archive among the results of the caller.
    pub archive: String,
}

/// Renders every published page as HTML, and keeps the pages as a tar archive among the results of the caller.
#[tool(
    operation = Trigger,
    destructive = false,
    idempotent = true,
    title = "Export the site",
    permission = "node.view",
    tags = ["transfer"],
    task(optional, retries = 2, attempt_timeout = "1h")
)]
async fn export_site(
    #[inject] site: Reader<Site>,
    #[inject] context: Context,
    #[inject] results: State<ResultStore>,
) -> Result<Exported, ToolError> {
    let pages = site.find(&Query { published: Some(true), limit: u32::MAX, ..Query::default() }).await?;
    let total = pages.len() as u64;
    let mut archive = Archive::default();
    for (done, page) in (1..).zip(&pages) {
        continue_unless_canceled(&context)?;
        let revision = site.revision(page.id, page.published.unwrap_or(page.revision)).await?;
        archive.add(&format!("{}.html", page.id), &render::page(&revision.content));
        context.progress(done, total, &revision.content.title);
    }
    let archive = archive.finish();
    let (pages, bytes) = (u32::try_from(total).unwrap_or(u32::MAX), archive.len());
    let kept = results.keep(context.principal(), "application/x-tar", archive).await;
    let digest = kept.map_err(|error| {
        tracing::error!(%error, "the archive of the site cannot be stored");
        match error {
            ResultStoreError::TooLarge { .. } => {
                ToolError::failed(format!("the archive is too large: {error}"))
            }
            _ => ToolError::unavailable("the archive cannot be stored at the moment"),
        }
    })?;
    Ok(Exported { pages, bytes, archive: digest.hex() })
}

/// A page to be imported.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImportedPage {
    /// What the page is for.
    pub kind: NodeKind,
    /// Headline of the page, one line.
    #[schemars(length(min = 1, max = 120))]
    pub title: String,
    /// Text of the page, in Markdown.
    #[schemars(length(max = 100_000))]
    pub body: String,
    /// Words that the page is found by.
    #[serde(default)]
    #[schemars(length(max = 12), inner(length(min = 1, max = 30)))]
    pub tags: Vec<String>,
}

/// Pages that were imported.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The numbers of the pages, in the order of the input.
    pub nodes: Vec<NodeId>,
}

/// Creates many pages, which belong to the caller. A page that the caller imported before, and that still exists, is not created
/// again.
///
/// ```tool
/// {"pages": [{"kind": "page", "title": "Opening hours", "body": "Every day but *Monday*.\n"}]}
/// ```
#[tool(
    operation = Trigger,
    destructive = false,
    idempotent = true,
    title = "Import pages",
    permission = "node.create",
    tags = ["transfer"],
    task(optional, retries = 2, attempt_timeout = "1h")
)]
async fn import_pages(
    #[inject] site: Writer<Site>,
    #[inject] context: Context,
    /// What to create, from the first to the last.
    #[arg(length(min = 1, max = 1000))]
    pages: Vec<ImportedPage>,
) -> Result<Imported, ToolError> {
    texts::check(&json!({"pages": pages}))?;
    let author = author(&context)?;
    let total = pages.len() as u64;
    let mut nodes = Vec::new();
    for (done, ImportedPage { kind, title, body, tags }) in (1..).zip(pages) {
        continue_unless_canceled(&context)?;
        let content = Content { title, body, tags, meta: BTreeMap::new(), components: Vec::new() };
        nodes.push(site.import(&author, kind, &content).await?.id);
        context.progress(done, total, &content.title);
    }
    Ok(Imported { nodes })
}

/// Ends a tool whose task was canceled.
fn continue_unless_canceled(context: &Context) -> Result<(), ToolError> {
    if context.is_cancelled() { Err(ToolError::failed("it was canceled on the way")) } else { Ok(()) }
}
