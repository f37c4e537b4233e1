//! What can be known of the tools before any is called.

mod page;
mod shape;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use serde_json::Value;
use tool_core::profile::Profile;
use tool_core::{Registry, ToolDefinition};

use crate::asking::{Asking, listed};
use crate::discovery::page::Page;
use crate::discovery::shape::{Detail, Summary};
use crate::documents::Document;
use crate::query::{self, Listing};
use crate::refusal::Refusal;
use crate::representation::Representation;

/// The names of the tools that a vendor cannot take, and that are not in the list of its profile.
pub(crate) const LEFT_OUT: HeaderName = HeaderName::from_static("tools-left-out");

/// The most names in it: clients and proxies bound the head of an answer.
pub(crate) const MOST_NAMED: usize = 50;

/// `GET /tools`.
pub(crate) async fn list(mut asking: Asking) -> Result<Response, Refusal> {
    let viewer = asking.viewer().await?;
    let listing = Listing::parse(&asking.head.uri)?;
    let document = if listing.full { Document::FullList } else { Document::List };
    // What is written once is the same for all, and a private list is not.
    let whole = listing.is_whole() && !asking.audience().sole;
    let tools = asking.api.tools().await?;
    if whole && let Some(list) = asking.api.documents().written(document, &tools) {
        return Ok(asking.answer(&list));
    }
    let tools = tools.as_principal(viewer);
    let page = Page::of(&listing, &tools, asking.is_protected())?;
    if let Some(profile) = listing.profile {
        return in_profile(&asking, &page, profile);
    }
    let requires_nothing = |tool: &&ToolDefinition| tools.requirements(tool.name()).is_none();
    let list = if whole && page.tools.iter().all(requires_nothing) {
        asking.api.documents().get(document, &tools, || written(&page.tools, &tools, listing.full))?
    } else {
        written(&page.tools, &tools, listing.full)?
    };
    Ok(page.linked(asking.answer(&list)))
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
    let mut response = asking.answer(&Representation::of(&rendered)?);
    if let Some(names) = named(&left_out) {
        response.headers_mut().insert(LEFT_OUT, names);
    }
    Ok(page.linked(response))
}

/// The names for a header: so many, and how many more there are, such as `+12`, which is the name of no tool.
fn named(names: &[&str]) -> Option<HeaderValue> {
    if names.is_empty() {
        return None;
    }
    let mut named = names[..names.len().min(MOST_NAMED)].join(", ");
    if names.len() > MOST_NAMED {
        named.push_str(&format!(", +{}", names.len() - MOST_NAMED));
    }
    // A name has no character that a header cannot have.
    HeaderValue::from_str(&named).ok()
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
    Ok(asking.answer(&detail))
}

/// `GET /tools/{name}/inputs`.
pub(crate) async fn inputs(mut asking: Asking) -> Result<Response, Refusal> {
    let viewer = asking.viewer().await?;
    let name = asking.name().await?;
    let tools = asking.tools(viewer).await?;
    let tool = listed(&tools, &name)?;
    query::none(&asking.head.uri)?;
    Ok(asking.answer(&Representation::of(&tool.inputs())?))
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
