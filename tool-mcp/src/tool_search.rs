//! Discovery in two steps: three tools with which a model finds all others.

mod definitions;
mod listing;
mod rows;

use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_core::failure::Reason;
use tool_core::schema::nearest;
use tool_core::{Failure, FailureKind, ToolDefinition, adapter};

pub(crate) use definitions::listed;
use definitions::registry;

use crate::catalog::view::CatalogView;
use crate::discovery::SEARCH_TOOLS;
use crate::protocol::Era;
use crate::render::call_result::{excerpt_blocks, failed_text, linked, succeeded_with};
use crate::tool_search::rows::Rows;

/// The arguments of `list_available_tools`.
#[derive(Deserialize)]
pub(crate) struct Search {
    #[serde(default)]
    detailed: bool,
    #[serde(default)]
    filter_by_server: String,
    #[serde(default)]
    search: String,
    #[serde(default = "first")]
    page: usize,
}

fn first() -> usize {
    1
}

/// The arguments of `list_tool_details`.
#[derive(Deserialize)]
pub(crate) struct Details {
    server: String,
    tool_name: String,
}

/// The arguments of `call_tool`.
#[derive(Deserialize)]
pub(crate) struct Call<'a> {
    server: String,
    tool_name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// What one of the three tools is to do.
pub(crate) enum Step<'a> {
    /// It is done.
    Done(CallToolResult),
    /// It calls a tool.
    Call { tool: String, arguments: &'a [u8] },
}

/// Enters one of the three tools; `None` for every other name.
pub(crate) async fn enter<'a>(
    name: &str,
    arguments: &'a [u8],
    view: &CatalogView,
    era: &Era,
) -> Option<Step<'a>> {
    if !SEARCH_TOOLS.contains(&name) {
        return None;
    }
    let arguments = if arguments.trim_ascii().is_empty() { b"{}" } else { arguments };
    if let Err(failure) = registry().validate(name, arguments) {
        return Some(Step::Done(failed_text(failure.text())));
    }
    let step = run(name, arguments, view, era).await;
    Some(step.unwrap_or_else(|failure| Step::Done(failed_text(failure.text()))))
}

async fn run<'a>(
    name: &str,
    arguments: &'a [u8],
    view: &CatalogView,
    era: &Era,
) -> Result<Step<'a>, Failure> {
    match name {
        "list_available_tools" => Ok(Step::Done(list(&read(arguments)?, view, era).await?)),
        "list_tool_details" => {
            let Details { server, tool_name } = read(arguments)?;
            let tool = find(&server, &tool_name, view)?;
            Ok(Step::Done(details(tool, view, era).await))
        }
        _ => {
            let Call { server, tool_name, arguments } = read(arguments)?;
            let tool = find(&server, &tool_name, view)?.name().to_owned();
            Ok(Step::Call { tool, arguments: arguments.map_or(b"{}", |raw| raw.get().as_bytes()) })
        }
    }
}

/// Arguments that were found to be what the tool takes.
fn read<'a, T: Deserialize<'a>>(arguments: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(arguments).map_err(|error| wrong(error.to_string()))
}

/// One page of what there is. Of a listing that is too large to be shown the first page is its beginning: the whole is kept.
async fn list(query: &Search, view: &CatalogView, era: &Era) -> Result<CallToolResult, Failure> {
    if !query.filter_by_server.is_empty() {
        present_server(&query.filter_by_server, view)?;
    }
    let found: Vec<&ToolDefinition> = if query.search.trim().is_empty() {
        view.tools_by_server(&query.filter_by_server).collect()
    } else {
        let server = &query.filter_by_server;
        let on_server = |tool: &&ToolDefinition| server.is_empty() || view.server(tool) == server;
        ranked(&query.search, view).filter(on_server).collect()
    };
    let rows = Rows { found: &found, detailed: query.detailed, view };
    let mut page = rows.page(query.page)?;
    let absent: Vec<Value> = view
        .providers
        .providers()
        .filter(|_| query.page == 1 && query.filter_by_server.is_empty())
        .filter_map(|server| Some(json!({"server": server, "reason": view.absence(server)?})))
        .collect();
    if !absent.is_empty() {
        page["unavailable"] = absent.into();
    }
    let whole = if query.page == 1 { rows.whole(&query.filter_by_server, &query.search).await } else { None };
    let scheme = &view.catalog.settings().scheme;
    let Some(whole) = whole else { return Ok(succeeded_with(page)) };
    let mut content = linked(&whole, scheme);
    // The page is what it would begin with.
    content.as_object_mut().map(|content| content.shift_remove("preview"));
    page["whole"] = content;
    let mut result = succeeded_with(page);
    result.content.extend(excerpt_blocks(&whole, era, scheme).into_iter().skip(1));
    Ok(result)
}

/// All about one tool, or the beginning of that.
async fn details(tool: &ToolDefinition, view: &CatalogView, era: &Era) -> CallToolResult {
    let details = json!({
        "name": view.name_on_server(tool),
        "description": view.description(tool),
        "inputSchema": tool.detached().input_schema(),
        "server": view.server(tool),
    });
    let Some(excerpt) = listing::details(tool, &details, view).await else { return succeeded_with(details) };
    let scheme = &view.catalog.settings().scheme;
    let mut content = json!({"name": view.name_on_server(tool), "server": view.server(tool)});
    if let (Some(content), Value::Object(excerpt)) = (content.as_object_mut(), linked(&excerpt, scheme)) {
        content.extend(excerpt);
    }
    let mut result = CallToolResult::success(excerpt_blocks(&excerpt, era, scheme));
    result.structured_content = Some(content);
    result
}

/// The tools that the caller may call, the best first.
fn ranked<'o>(search: &str, view: &'o CatalogView) -> impl Iterator<Item = &'o ToolDefinition> {
    let is_callable = |tool: &ToolDefinition| {
        adapter::is_unrestricted(&view.registry) || view.registry.check_access(tool.name()).is_ok()
    };
    let hits = view.registry.search(search).into_iter().map(|hit| hit.tool);
    hits.filter(move |tool| view.is_found(tool) && is_callable(tool))
}

fn find<'o>(server: &str, name: &str, view: &'o CatalogView) -> Result<&'o ToolDefinition, Failure> {
    present_server(server, view)?;
    let callable = |tool: &&ToolDefinition| {
        view.is_tool(tool) && view.server(tool) == server && view.registry.check_access(tool.name()).is_ok()
    };
    let whole = format!("{server}__{name}");
    // A tool may be called by its name on its server, and by the one that it has among all.
    let by_its_name = || view.registry.get(&whole).filter(callable);
    let found = by_its_name().filter(|tool| view.name_on_server(tool) == name);
    found.or_else(|| view.registry.get(name).filter(callable)).or_else(by_its_name).ok_or_else(|| {
        let there: Vec<&str> = view
            .tools()
            .filter(|tool| view.server(tool) == server)
            .map(|tool| view.name_on_server(tool))
            .collect();
        wrong(format!(
            "there is no tool `{}` on `{server}`{}: {}",
            short(name),
            similar(name, &there),
            existing("tools", &there)
        ))
    })
}

/// Makes sure that a server is known, and has its tools.
fn present_server(server: &str, view: &CatalogView) -> Result<(), Failure> {
    // Mostly it is, and then there is no need to know all.
    let has_tools = !server.is_empty() && view.tools_by_server(server).next().is_some();
    if !has_tools && !view.servers().contains(&server) {
        let servers = view.servers();
        return Err(wrong(format!(
            "there is no server `{}`{}: {}",
            short(server),
            similar(server, &servers),
            existing("servers", &servers)
        )));
    }
    match view.absence(server) {
        None => Ok(()),
        Some(absence) => Err(Failure::new(FailureKind::Failed(Reason::Unavailable), absence)),
    }
}

fn similar(name: &str, there: &[&str]) -> String {
    let similar = nearest(name, there.iter().copied());
    similar.map(|name| format!("; there is one with a similar name: `{name}`")).unwrap_or_default()
}

/// So many names are listed where one is wrong; of more than that, a model searches.
const MOST_NAMES: usize = 20;

fn existing(what: &str, names: &[&str]) -> String {
    let listed = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => format!("there are no {what}"),
        count if count > MOST_NAMES => {
            format!("the first of {count} {what} are {listed}; `list_available_tools` finds the others")
        }
        _ => format!("the {what} are {listed}"),
    }
}

fn short(text: &str) -> String {
    text.chars().take(128).collect()
}

fn wrong(message: String) -> Failure {
    Failure::new(FailureKind::Input, message)
}
