//! What can be known of the tools before any is called.

mod page;
mod shape;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use serde_json::Value;
use tool_core::{Profile, Registry, ToolDefinition};

use crate::asking::{Asking, listed};
use crate::discovery::page::Page;
use crate::discovery::shape::{Detail, Summary};
use crate::documents::Document;
use crate::query::{self, Listing};
use crate::refusal::Refusal;
use crate::representation::Representation;

/// The names of the tools that a vendor cannot take, and that are not in the list of its profile.
const LEFT_OUT: HeaderName = HeaderName::from_static("tools-left-out");

/// `GET /tools`.
pub(crate) async fn list(mut asking: Asking) -> Result<Response, Refusal> {
    let viewer = asking.viewer().await?;
    let listing = Listing::parse(&asking.head.uri)?;
    let document = if listing.full { Document::FullList } else { Document::List };
    // What is written once is the same for all, and a private list is not.
    let whole = listing.is_whole() && !asking.is_private();
    let tools = asking.api.tools().await?;
    if whole && let Some(list) = asking.api.documents().written(document, &tools) {
        return Ok(list.answer(&asking.head, false));
    }
    let tools = tools.as_principal(viewer);
    let page = Page::of(&listing, &tools, asking.is_private())?;
    if let Some(profile) = listing.profile {
        return in_profile(&asking, &page, profile);
    }
    let requires_nothing = |tool: &&ToolDefinition| tools.requirements(tool.name()).is_none();
    let list = if whole && page.tools.iter().all(requires_nothing) {
        asking.api.documents().get(document, &tools, || written(&page.tools, &tools, listing.full))?
    } else {
        written(&page.tools, &tools, listing.full)?
    };
    Ok(page.linked(list.answer(&asking.head, asking.is_private())))
}

/// The list as text.
fn written(list: &[&ToolDefinition], tools: &Registry, full: bool) -> Result<Representation, Refusal> {
    if full {
        Representation::of(&list.iter().map(|tool| Detail::of(tool, tools)).collect::<Vec<_>>())
    } else {
        Representation::of(&list.iter().map(|tool| Summary::of(tool, tools)).collect::<Vec<_>>())
    }
}

/// The list in the words of a vendor. What one cannot take does not keep the others from it: it is named in a header.
fn in_profile(asking: &Asking, page: &Page<'_>, profile: Profile) -> Result<Response, Refusal> {
    let mut left_out = Vec::new();
    let mut rendered: Vec<Value> = Vec::new();
    for tool in &page.tools {
        match tool.tool_for(profile) {
            Ok(value) => rendered.push(value),
            Err(_) => left_out.push(tool.name()),
        }
    }
    let mut response = Representation::of(&rendered)?.answer(&asking.head, asking.is_private());
    // A name has no character that a header cannot have.
    if let (false, Ok(names)) = (left_out.is_empty(), HeaderValue::from_str(&left_out.join(", "))) {
        response.headers_mut().insert(LEFT_OUT, names);
    }
    Ok(page.linked(response))
}

/// `GET /tools/{name}`.
pub(crate) async fn detail(mut asking: Asking) -> Result<Response, Refusal> {
    let viewer = asking.viewer().await?;
    let name = asking.name().await?;
    let tools = asking.tools(viewer).await?;
    let tool = listed(&tools, &name)?;
    let detail = match query::sole_profile(&asking.head.uri)? {
        None => Representation::of(&Detail::of(tool, &tools))?,
        Some(profile) => Representation::of(&tool.schema_for(profile).map_err(Refusal::Profile)?)?,
    };
    Ok(detail.answer(&asking.head, asking.is_private()))
}

/// `GET /tools/{name}/inputs`.
pub(crate) async fn inputs(mut asking: Asking) -> Result<Response, Refusal> {
    let viewer = asking.viewer().await?;
    let name = asking.name().await?;
    let tools = asking.tools(viewer).await?;
    let tool = listed(&tools, &name)?;
    query::none(&asking.head.uri)?;
    Ok(Representation::of(&tool.inputs())?.answer(&asking.head, asking.is_private()))
}

impl Page<'_> {
    /// Says where the next page is, if there is one.
    fn linked(&self, mut response: Response) -> Response {
        if let Some(Ok(link)) = self.next.as_deref().map(HeaderValue::from_str) {
            response.headers_mut().insert(header::LINK, link);
        }
        response
    }
}
