//! `list` and `search`: the tools of the registry, with what stands in the way of a call.

use clap::ArgMatches;
use serde_json::{Value, json};
use tool_core::search::Match;
use tool_core::{FailureKind, Operation, Registry, Requirements, ToolDefinition};

use crate::app::App;
use crate::cli::{self, Format};
use crate::error::CliError;
use crate::streams::Streams;
use crate::style::summary;
use crate::table::Table;
use crate::{identity, yaml};

/// How many bytes of names are printed at once.
const NAMES_CHUNK: usize = 1 << 12;

/// Lists the tools, by name.
pub(crate) async fn list(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    show(&registry, registry.tools().map(|tool| (tool, None)), matches, streams)
}

/// Lists the tools that have what is searched for, the best first.
pub(crate) async fn search(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    let words: Vec<&str> = cli::many::<String>(matches, "text").map(String::as_str).collect();
    let all = cli::one::<String>(matches, "match").is_some_and(|matching| matching == "all");
    let matching = if all { Match::All } else { Match::Any };
    let hits = registry.search_matching(&words.join(" "), matching);
    show(&registry, hits.into_iter().map(|hit| (hit.tool, Some(hit.score))), matches, streams)
}

fn show<'r>(
    registry: &Registry,
    tools: impl Iterator<Item = (&'r ToolDefinition, Option<f64>)>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let filter = Filter::from_matches(matches);
    let is_empty = filter.is_empty();
    let tools = tools.filter(|(tool, _)| is_empty || filter.matches(registry, tool));
    let format = cli::format(matches);
    if format == Format::Name {
        return names(tools.map(|(tool, _)| tool.name()), streams);
    }
    let tools: Vec<_> = tools.collect();
    let page = match format {
        Format::Json => json_text(&rows(registry, &tools)),
        Format::Yaml => yaml::text(&rows(registry, &tools)),
        _ if tools.is_empty() => {
            streams.notice("no tools");
            return Ok(());
        }
        format => {
            let mut table = Table::new(["NAME", "OPERATION", "DESCRIPTION"]);
            tools.iter().for_each(|(tool, _)| table.push(cells(registry, tool)));
            match format {
                Format::Markdown => table.markdown(),
                _ => table.text(streams.width(), streams.paint()),
            }
        }
    };
    Ok(streams.print(&page)?)
}

/// Prints the names alone, in chunks.
fn names<'r>(names: impl Iterator<Item = &'r str>, streams: &mut Streams) -> Result<(), CliError> {
    let mut page = String::with_capacity(2 * NAMES_CHUNK);
    for name in names {
        page.push_str(name);
        page.push('\n');
        if page.len() >= NAMES_CHUNK {
            streams.print(&page)?;
            page.clear();
        }
    }
    Ok(streams.print(&page)?)
}

/// The filter of a list.
struct Filter {
    operations: Vec<Operation>,
    tags: Vec<String>,
    /// Whether to list tools whose requirements are met, and those whose requirements are not.
    met: [bool; 2],
}

impl Filter {
    fn from_matches(matches: &ArgMatches) -> Self {
        let met = match cli::one::<String>(matches, "unmet").map(String::as_str) {
            Some("hide") => [true, false],
            Some("only") => [false, true],
            _ => [true, true],
        };
        Filter {
            operations: cli::many(matches, "operation").copied().collect(),
            tags: cli::many::<String>(matches, "tag").cloned().collect(),
            met,
        }
    }

    /// Returns `true` if it excludes no tool.
    fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.tags.is_empty() && self.met == [true, true]
    }

    fn matches(&self, registry: &Registry, tool: &ToolDefinition) -> bool {
        let operation = tool.operation();
        let has_operation = self.operations.is_empty()
            || operation.is_some_and(|operation| self.operations.contains(&operation));
        has_operation
            && self.tags.iter().all(|wanted| tool.tags().any(|tag| tag == wanted))
            // Asked for only where it matters: a requirement may have to look around.
            && (self.met == [true, true] || self.met[usize::from(!requirements(registry, tool).met)])
    }
}

/// Returns whether the requirements of a tool are met, as they are if it has none.
pub(crate) fn requirements(registry: &Registry, tool: &ToolDefinition) -> RequirementStatus {
    registry
        .requirements(tool.name())
        .map_or(RequirementStatus { met: true, message: None }, RequirementStatus::from)
}

/// Whether requirements are met, and what is missing.
#[derive(serde::Serialize)]
pub(crate) struct RequirementStatus {
    pub(crate) met: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

impl From<Requirements> for RequirementStatus {
    fn from(requirements: Requirements) -> Self {
        RequirementStatus { met: requirements.met, message: requirements.message }
    }
}

/// Returns why the caller may not call the tool.
pub(crate) fn denial(registry: &Registry, tool: &ToolDefinition) -> Option<String> {
    tool.permission()?;
    let failure = registry.check_access(tool.name()).err()?;
    (failure.kind() == FailureKind::Denied).then(|| failure.message().to_owned())
}

/// Returns indented JSON.
pub(crate) fn json_text(value: &Value) -> String {
    format!("{value:#}\n")
}

fn rows(registry: &Registry, tools: &[(&ToolDefinition, Option<f64>)]) -> Value {
    tools.iter().map(|(tool, score)| row(registry, tool, *score)).collect()
}

fn row(registry: &Registry, tool: &ToolDefinition, score: Option<f64>) -> Value {
    let members = [
        ("name", Some(json!(tool.name()))),
        ("title", tool.title().map(Value::from)),
        ("description", Some(json!(tool.description()))),
        ("operation", tool.operation().map(|operation| json!(operation))),
        ("destructive", Some(json!(tool.destructive()))),
        ("provider", tool.provider().map(Value::from)),
        ("tags", Some(json!(tool.tags().collect::<Vec<_>>())).filter(|_| tool.tags().len() > 0)),
        ("deprecated", tool.deprecated().map(|_| true.into())),
        ("requirements", Some(json!(requirements(registry, tool)))),
        ("denied", denial(registry, tool).map(Value::from)),
        ("score", score.map(Value::from)),
    ];
    object(members)
}

/// An object of the members that have a value.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(members.collect())
}

/// Returns the operation, and whether it is destructive.
pub(crate) fn operation(tool: &ToolDefinition) -> String {
    let mut operation = tool.operation().map_or("-", Operation::as_str).to_owned();
    if tool.destructive() {
        operation.push_str(", destructive");
    }
    operation
}

fn cells(registry: &Registry, tool: &ToolDefinition) -> [String; 3] {
    let mut lines = vec![summary(tool.description())];
    lines.extend(tool.deprecated().map(|_| "deprecated".to_owned()));
    let met = requirements(registry, tool);
    if !met.met {
        lines.push(format!("cannot run: {}", met.message.unwrap_or_default()));
    }
    lines.extend(denial(registry, tool).map(|reason| format!("denied: {reason}")));
    [tool.name().to_owned(), operation(tool), lines.join("\n")]
}
