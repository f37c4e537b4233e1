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

use definitions::desk;
pub(crate) use definitions::{NAMES, listed};

use crate::answer::{excerpt_blocks, failed_text, linked, succeeded_with};
use crate::offer::Offer;
use crate::protocol::Era;
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
pub(crate) async fn enter<'a>(name: &str, arguments: &'a [u8], offer: &Offer, era: &Era) -> Option<Step<'a>> {
    if !NAMES.contains(&name) {
        return None;
    }
    let arguments = if arguments.trim_ascii().is_empty() { b"{}" } else { arguments };
    if let Err(failure) = desk().validate(name, arguments) {
        return Some(Step::Done(failed_text(failure.text())));
    }
    let step = run(name, arguments, offer, era).await;
    Some(step.unwrap_or_else(|failure| Step::Done(failed_text(failure.text()))))
}

async fn run<'a>(name: &str, arguments: &'a [u8], offer: &Offer, era: &Era) -> Result<Step<'a>, Failure> {
    match name {
        "list_available_tools" => Ok(Step::Done(list(&read(arguments)?, offer, era).await?)),
        "list_tool_details" => {
            let Details { server, tool_name } = read(arguments)?;
            let tool = find(&server, &tool_name, offer)?;
            Ok(Step::Done(details(tool, offer, era).await))
        }
        _ => {
            let Call { server, tool_name, arguments } = read(arguments)?;
            let tool = find(&server, &tool_name, offer)?.name().to_owned();
            Ok(Step::Call { tool, arguments: arguments.map_or(b"{}", |raw| raw.get().as_bytes()) })
        }
    }
}

/// Arguments that were found to be what the tool takes.
fn read<'a, T: Deserialize<'a>>(arguments: &'a [u8]) -> Result<T, Failure> {
    serde_json::from_slice(arguments).map_err(|error| wrong(error.to_string()))
}

/// One page of what there is. Of a listing that is too large to be shown the first page is its beginning: the whole is kept.
async fn list(asked: &Search, offer: &Offer, era: &Era) -> Result<CallToolResult, Failure> {
    if !asked.filter_by_server.is_empty() {
        present_server(&asked.filter_by_server, offer)?;
    }
    let found: Vec<&ToolDefinition> = if asked.search.trim().is_empty() {
        offer.tools_by_server(&asked.filter_by_server).collect()
    } else {
        let server = &asked.filter_by_server;
        let on_server = |tool: &&ToolDefinition| server.is_empty() || offer.server(tool) == server;
        ranked(&asked.search, offer).filter(on_server).collect()
    };
    let rows = Rows { found: &found, detailed: asked.detailed, offer };
    let mut page = rows.page(asked.page)?;
    let absent: Vec<Value> = offer
        .providers
        .providers()
        .filter(|_| asked.page == 1 && asked.filter_by_server.is_empty())
        .filter_map(|server| Some(json!({"server": server, "reason": offer.absence(server)?})))
        .collect();
    if !absent.is_empty() {
        page["unavailable"] = absent.into();
    }
    let whole = if asked.page == 1 { rows.whole(&asked.filter_by_server, &asked.search).await } else { None };
    let scheme = &offer.catalog.settings().scheme;
    let Some(whole) = whole else { return Ok(succeeded_with(page)) };
    let mut told = linked(&whole, scheme);
    // The page is what it would begin with.
    told.as_object_mut().map(|told| told.shift_remove("preview"));
    page["whole"] = told;
    let mut result = succeeded_with(page);
    result.content.extend(excerpt_blocks(&whole, era, scheme).into_iter().skip(1));
    Ok(result)
}

/// All about one tool, or the beginning of that.
async fn details(tool: &ToolDefinition, offer: &Offer, era: &Era) -> CallToolResult {
    let details = json!({
        "name": offer.name_on_server(tool),
        "description": described(tool, offer),
        "inputSchema": tool.detached().input_schema(),
        "server": offer.server(tool),
    });
    let Some(excerpt) = listing::details(tool, &details, offer).await else { return succeeded_with(details) };
    let scheme = &offer.catalog.settings().scheme;
    let mut told = json!({"name": offer.name_on_server(tool), "server": offer.server(tool)});
    if let (Some(told), Value::Object(excerpt)) = (told.as_object_mut(), linked(&excerpt, scheme)) {
        told.extend(excerpt);
    }
    let mut result = CallToolResult::success(excerpt_blocks(&excerpt, era, scheme));
    result.structured_content = Some(told);
    result
}

/// The tools that the caller may call, the best first.
fn ranked<'o>(search: &str, offer: &'o Offer) -> impl Iterator<Item = &'o ToolDefinition> {
    let is_callable = |tool: &ToolDefinition| {
        adapter::is_unrestricted(&offer.registry) || offer.registry.check_access(tool.name()).is_ok()
    };
    let hits = offer.registry.search(search).into_iter().map(|hit| hit.tool);
    hits.filter(move |tool| offer.is_found(tool) && is_callable(tool))
}

/// What a tool does; no row is without a word.
fn described<'o>(tool: &'o ToolDefinition, offer: &'o Offer) -> &'o str {
    let description = offer.catalog.settings().description(tool).trim();
    if description.is_empty() { "No description" } else { description }
}

fn find<'o>(server: &str, name: &str, offer: &'o Offer) -> Result<&'o ToolDefinition, Failure> {
    present_server(server, offer)?;
    let callable = |tool: &&ToolDefinition| {
        offer.is_tool(tool)
            && offer.server(tool) == server
            && offer.registry.check_access(tool.name()).is_ok()
    };
    let whole = format!("{server}__{name}");
    // A tool may be called by its name on its server, and by the one that it has among all.
    let by_its_name = || offer.registry.get(&whole).filter(callable);
    let found = by_its_name().filter(|tool| offer.name_on_server(tool) == name);
    found.or_else(|| offer.registry.get(name).filter(callable)).or_else(by_its_name).ok_or_else(|| {
        let there: Vec<&str> = offer
            .tools()
            .filter(|tool| offer.server(tool) == server)
            .map(|tool| offer.name_on_server(tool))
            .collect();
        wrong(format!(
            "there is no tool `{}` on `{server}`{}: {}",
            short(name),
            similar(name, &there),
            known("tools", &there)
        ))
    })
}

/// Makes sure that a server is known, and has its tools.
fn present_server(server: &str, offer: &Offer) -> Result<(), Failure> {
    // Mostly it is, and then there is no need to know all.
    let has_tools = !server.is_empty() && offer.tools_by_server(server).next().is_some();
    if !has_tools && !offer.servers().contains(&server) {
        let servers = offer.servers();
        return Err(wrong(format!(
            "there is no server `{}`{}: {}",
            short(server),
            similar(server, &servers),
            known("servers", &servers)
        )));
    }
    match offer.absence(server) {
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

fn known(what: &str, names: &[&str]) -> String {
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
