//! The routes that describe tools.

mod detail;
mod page;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use serde_json::Value;
use tool_core::profile::Profile;
use tool_core::{Registry, ToolDefinition};

use crate::cache::Document;
use crate::discovery::detail::{Detail, Summary};
use crate::discovery::page::Page;
use crate::error::ApiError;
use crate::query::{self, ListQuery};
use crate::representation::Representation;
use crate::request_context::{RequestContext, find_tool};

/// A header with the names of tools that a profile cannot represent, and that are not in its list.
pub(crate) const TOOLS_SKIPPED: HeaderName = HeaderName::from_static("tools-skipped");

/// The maximum number of names in this header: clients and proxies limit the size of a head.
pub(crate) const MAX_NAMED: usize = 50;

/// `GET /tools`.
pub(crate) async fn list(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    let list_query = ListQuery::parse(&context.head.uri)?;
    let document = if list_query.full { Document::FullList } else { Document::List };
    // An unfiltered public list is the same for every caller, and is cached.
    let is_unfiltered = list_query.is_unfiltered() && !context.cache_control().private;
    let tools = context.api.tools(&viewer).await?;
    if is_unfiltered && let Some(list) = context.api.cache().get(document, &tools) {
        return Ok(context.respond(&list));
    }
    let tools = tools.as_principal(viewer);
    let page = Page::of(&list_query, &tools, context.is_protected())?;
    if let Some(profile) = list_query.profile {
        return in_profile(&context, &page, profile);
    }
    let requires_nothing = |tool: &&ToolDefinition| tools.requirements(tool.name()).is_none();
    let list = if is_unfiltered && page.tools.iter().all(requires_nothing) {
        context
            .api
            .cache()
            .get_or_render(document, &tools, || render(&page.tools, &tools, list_query.full))?
    } else {
        render(&page.tools, &tools, list_query.full)?
    };
    Ok(page.with_link(context.respond(&list)))
}

/// Renders the list as JSON.
fn render(list: &[&ToolDefinition], tools: &Registry, full: bool) -> Result<Representation, ApiError> {
    if full {
        Representation::json(&list.iter().map(|tool| Detail::of(tool, tools)).collect::<Vec<_>>())
    } else {
        Representation::json(&list.iter().map(|tool| Summary::of(tool, tools)).collect::<Vec<_>>())
    }
}

/// Returns the list in the format of a vendor. Tools that it cannot represent are named in a header.
fn in_profile(context: &RequestContext, page: &Page<'_>, profile: Profile) -> Result<Response, ApiError> {
    let mut skipped = Vec::new();
    let mut rendered: Vec<Value> = Vec::new();
    for tool in &page.tools {
        match tool.tool_for(profile) {
            Ok(value) => rendered.push(value),
            Err(_) => skipped.push(tool.name()),
        }
    }
    let mut response = context.respond(&Representation::json(&rendered)?);
    if let Some(names) = left_out_header(&skipped) {
        response.headers_mut().insert(TOOLS_SKIPPED, names);
    }
    Ok(page.with_link(response))
}

/// Returns the names for the header, and the number of further ones as `+12`, which is not a valid name.
fn left_out_header(names: &[&str]) -> Option<HeaderValue> {
    if names.is_empty() {
        return None;
    }
    let mut text = names[..names.len().min(MAX_NAMED)].join(", ");
    if names.len() > MAX_NAMED {
        text.push_str(&format!(", +{}", names.len() - MAX_NAMED));
    }
    // All characters of names are valid in headers.
    HeaderValue::from_str(&text).ok()
}

/// `GET /tools/{name}`.
pub(crate) async fn detail(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    let name = context.tool_name().await?;
    let tools = context.tools(viewer).await?;
    let tool = find_tool(&tools, &name)?;
    let detail = match query::parse_profile(&context.head.uri)? {
        None => Representation::json(&Detail::of(tool, &tools))?,
        Some(profile) => Representation::json(&tool.schema_for(profile).map_err(ApiError::Profile)?)?,
    };
    Ok(context.respond(&detail))
}

/// `GET /tools/{name}/inputs`.
pub(crate) async fn inputs(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    let name = context.tool_name().await?;
    let tools = context.tools(viewer).await?;
    let tool = find_tool(&tools, &name)?;
    query::expect_empty(&context.head.uri)?;
    Ok(context.respond(&Representation::json(&tool.inputs())?))
}

impl Page<'_> {
    /// Adds a link to the next page, if there is one.
    fn with_link(&self, mut response: Response) -> Response {
        if let Some(Ok(link)) = self.next.as_deref().map(HeaderValue::from_str) {
            response.headers_mut().insert(header::LINK, link);
        }
        response
    }
}
