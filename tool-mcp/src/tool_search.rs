//! Discovery in two steps: four tools with which a model finds and calls all others.

mod definitions;
mod rows;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::results::Excerpt;
use tool_core::schema::nearest;
use tool_core::{Digest, Failure, FailureKind, ToolDefinition, adapter};

pub(crate) use definitions::listed;
use definitions::registry;

use crate::catalog::view::CatalogView;
use crate::discovery::SEARCH_TOOLS;
use crate::protocol::Era;
use crate::render::call_result::{CallResult, excerpt_blocks, linked};
use crate::tool_search::rows::{Rows, identity, is_read_only, mark};

/// The arguments of `list_available_tools`.
#[derive(Deserialize)]
struct ListArguments {
    #[serde(default)]
    detailed: bool,
    #[serde(default)]
    filter_by_server: String,
    #[serde(default)]
    search: String,
    page: Option<usize>,
}

/// The arguments of `list_tool_details`, `call_read_only_tool` and `call_tool`.
#[derive(Deserialize)]
struct ToolArguments<'a> {
    server: String,
    tool_name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// The outcome of one of the four tools.
pub(crate) enum SearchStep<'a> {
    Done(CallResult<'static>),
    /// It calls this tool.
    Call {
        tool: String,
        arguments: &'a [u8],
    },
}

/// Calls one of the four tools; `None` for any other name.
pub(crate) async fn enter<'a>(
    name: &str,
    arguments: &'a [u8],
    view: &CatalogView,
    era: &Era,
) -> Option<SearchStep<'a>> {
    if !SEARCH_TOOLS.contains(&name) {
        return None;
    }
    let arguments = if arguments.trim_ascii().is_empty() { b"{}" } else { arguments };
    if let Err(failure) = registry().validate(name, arguments) {
        return Some(SearchStep::Done(CallResult::failed(failure.text())));
    }
    let step = run(name, arguments, view, era).await;
    Some(step.unwrap_or_else(|failure| SearchStep::Done(CallResult::failed(failure.text()))))
}

async fn run<'a>(
    name: &str,
    arguments: &'a [u8],
    view: &CatalogView,
    era: &Era,
) -> Result<SearchStep<'a>, Failure> {
    if name == "list_available_tools" {
        return list(&read(arguments)?, view, era).await.map(SearchStep::Done);
    }
    let ToolArguments { server, tool_name, arguments } = read(arguments)?;
    let tool = find(&server, &tool_name, view)?;
    if name == "list_tool_details" {
        return Ok(SearchStep::Done(details(tool, view, era).await));
    }
    if name == "call_read_only_tool" && !is_read_only(tool) {
        return Err(invalid(format!("`{tool_name}` may modify something: call it with `call_tool`")));
    }
    let arguments = arguments.map_or(&b"{}"[..], |raw| raw.get().as_bytes());
    Ok(SearchStep::Call { tool: tool.name().to_owned(), arguments })
}

/// Reads validated arguments.
fn read<'a, T: Deserialize<'a>>(arguments: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(arguments).map_err(|error| invalid(error.to_string()))
}

/// Returns one page of the matching tools. With the first page of a large list comes a link to the whole.
async fn list(query: &ListArguments, view: &CatalogView, era: &Era) -> Result<CallResult<'static>, Failure> {
    let ListArguments { detailed, filter_by_server: server, search, page } = query;
    if !server.is_empty() {
        check_server(server, view)?;
    }
    let found: Vec<&ToolDefinition> = if search.trim().is_empty() {
        view.tools_by_server(server).collect()
    } else {
        let on_server = |tool: &&ToolDefinition| server.is_empty() || view.server(tool) == server;
        ranked(search, view).filter(on_server).collect()
    };
    let rows = Rows { found: &found, detailed: *detailed, view };
    let page = page.unwrap_or(1);
    let mut result = rows.page(page)?;
    if page != 1 {
        return Ok(CallResult::with_value(&result, []));
    }
    let providers = view.providers.providers().filter(|_| server.is_empty());
    let unavailable: Vec<Value> = providers
        .filter_map(|server| Some(json!({"server": server, "reason": view.unavailable(server)?})))
        .collect();
    if !unavailable.is_empty() {
        result["unavailable"] = unavailable.into();
    }
    let Some(whole) = rows.whole(server, search).await else {
        return Ok(CallResult::with_value(&result, []));
    };
    let scheme = &view.catalog.settings.scheme;
    let mut content = linked(&whole, scheme);
    // The page replaces the preview.
    content.as_object_mut().map(|content| content.shift_remove("preview"));
    result["whole"] = content;
    Ok(CallResult::with_value(&result, excerpt_blocks(&whole, era, scheme).into_iter().skip(1)))
}

/// Returns the details of a tool, or an excerpt if they are large.
async fn details(tool: &ToolDefinition, view: &CatalogView, era: &Era) -> CallResult<'static> {
    let mut details = json!({"name": view.name_on_server(tool), "description": view.description(tool)});
    mark(&mut details, tool);
    details["inputSchema"] = tool.detached().input_schema().clone();
    details["server"] = view.server(tool).into();
    let Some(excerpt) = excerpt(tool, &details, view).await else {
        return CallResult::with_value(&details, []);
    };
    let scheme = &view.catalog.settings.scheme;
    let mut content = json!({"name": view.name_on_server(tool), "server": view.server(tool)});
    mark(&mut content, tool);
    if let (Some(content), Value::Object(excerpt)) = (content.as_object_mut(), linked(&excerpt, scheme)) {
        content.extend(excerpt);
    }
    CallResult::with_blocks(excerpt_blocks(&excerpt, era, scheme), &content)
}

/// Stores details that are too large to show.
async fn excerpt(tool: &ToolDefinition, details: &Value, view: &CatalogView) -> Option<Excerpt> {
    let results = adapter::results(&view.registry)?;
    let key = json!(["details", identity(tool, view)]);
    // Stored results are read by lines.
    let text = || serde_json::to_string_pretty(details).unwrap_or_default();
    results.excerpt(view.registry.principal(), Digest::of(&key), "application/json", text).await
}

/// Returns the callable tools that match, the best first.
fn ranked<'o>(search: &str, view: &'o CatalogView) -> impl Iterator<Item = &'o ToolDefinition> {
    let is_callable = |tool: &ToolDefinition| {
        adapter::is_unrestricted(&view.registry) || view.registry.check_access(tool.name()).is_ok()
    };
    let hits = view.registry.search(search).into_iter().map(|hit| hit.tool);
    hits.filter(move |tool| view.is_searchable(tool) && is_callable(tool))
}

/// Finds a tool by its name on its server, or by its full name.
fn find<'o>(server: &str, name: &str, view: &'o CatalogView) -> Result<&'o ToolDefinition, Failure> {
    check_server(server, view)?;
    let callable = |tool: &&ToolDefinition| {
        view.is_for_search(tool)
            && view.server(tool) == server
            && view.registry.check_access(tool.name()).is_ok()
    };
    let full_name = format!("{server}__{name}");
    let by_full_name = || view.registry.get(&full_name).filter(callable);
    let found = by_full_name().filter(|tool| view.name_on_server(tool) == name);
    found.or_else(|| view.registry.get(name).filter(callable)).or_else(by_full_name).ok_or_else(|| {
        let on_server = view.tools().filter(|tool| view.server(tool) == server);
        let names: Vec<&str> = on_server.map(|tool| view.name_on_server(tool)).collect();
        unknown("tool", name, &format!(" on `{server}`"), &names)
    })
}

/// Checks that a server exists and is available.
fn check_server(server: &str, view: &CatalogView) -> Result<(), Failure> {
    // The list of all servers takes longer.
    let has_tools = !server.is_empty() && view.tools_by_server(server).next().is_some();
    if !has_tools {
        let servers = view.servers();
        if !servers.contains(&server) {
            return Err(unknown("server", server, "", &servers));
        }
    }
    match view.unavailable(server) {
        None => Ok(()),
        Some(reason) => Err(Failure::new(FailureKind::Failed(Reason::Unavailable), reason)),
    }
}

/// The most names that an error lists.
const MOST_NAMES: usize = 20;

/// Returns the error of an unknown tool or server, with a similar name and the existing ones.
fn unknown(what: &str, name: &str, place: &str, names: &[&str]) -> Failure {
    let similar = nearest(name, names.iter().copied());
    let similar = similar.map(|name| format!("; there is one with a similar name: `{name}`"));
    let similar = similar.unwrap_or_default();
    let listed = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let existing = match names.len() {
        0 => format!("there are no {what}s"),
        count if count > MOST_NAMES => {
            format!("the first of {count} {what}s are {listed}; `list_available_tools` finds the others")
        }
        _ => format!("the {what}s are {listed}"),
    };
    let name: String = name.chars().take(128).collect();
    invalid(format!("there is no {what} `{name}`{place}{similar}: {existing}"))
}

fn invalid(message: String) -> Failure {
    Failure::new(FailureKind::Input, message)
}
