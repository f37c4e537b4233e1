//! `list` and `search`: the tools of the registry, with what stands in the way of a call.

use clap::ArgMatches;
use serde_json::{Value, json};
use tool_core::search::Match;
use tool_core::{FailureKind, Operation, Registry, Requirements, ToolDefinition};

use crate::app::App;
use crate::grammar::{self, Format};
use crate::page::summary;
use crate::stop::Stop;
use crate::streams::Streams;
use crate::table::Table;
use crate::{identity, yaml};

/// How many bytes of names are printed at once.
const PAGE: usize = 1 << 12;

/// Lists the tools, by name.
pub(crate) fn list(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let registry = identity::registry(app, matches)?;
    show(&registry, registry.tools().map(|tool| (tool, None)), matches, streams)
}

/// Lists the tools that have what is searched for, the best first.
pub(crate) fn search(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let registry = identity::registry(app, matches)?;
    let words: Vec<&str> = grammar::many::<String>(matches, "text").map(String::as_str).collect();
    let all = grammar::one::<String>(matches, "match").is_some_and(|matching| matching == "all");
    let matching = if all { Match::All } else { Match::Any };
    let hits = registry.search_matching(&words.join(" "), matching);
    show(&registry, hits.into_iter().map(|hit| (hit.tool, Some(hit.score))), matches, streams)
}

fn show<'r>(
    registry: &Registry,
    tools: impl Iterator<Item = (&'r ToolDefinition, Option<f64>)>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), Stop> {
    let filter = Filter::of(matches);
    let takes_all = filter.takes_all();
    let tools = tools.filter(|(tool, _)| takes_all || filter.holds(registry, tool));
    let format = grammar::format(matches);
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

/// Prints the names alone, some at a time: nothing is kept of a thousand.
fn names<'r>(names: impl Iterator<Item = &'r str>, streams: &mut Streams) -> Result<(), Stop> {
    let mut page = String::with_capacity(2 * PAGE);
    for name in names {
        page.push_str(name);
        page.push('\n');
        if page.len() >= PAGE {
            streams.print(&page)?;
            page.clear();
        }
    }
    Ok(streams.print(&page)?)
}

/// Which tools are wanted.
struct Filter {
    operations: Vec<Operation>,
    tags: Vec<String>,
    /// Whether those whose requirements are met, and those whose are not.
    met: [bool; 2],
}

impl Filter {
    fn of(matches: &ArgMatches) -> Self {
        let met = match grammar::one::<String>(matches, "unmet").map(String::as_str) {
            Some("hide") => [true, false],
            Some("only") => [false, true],
            _ => [true, true],
        };
        Filter {
            operations: grammar::many(matches, "operation").copied().collect(),
            tags: grammar::many::<String>(matches, "tag").cloned().collect(),
            met,
        }
    }

    /// Whether nothing is left out.
    fn takes_all(&self) -> bool {
        self.operations.is_empty() && self.tags.is_empty() && self.met == [true, true]
    }

    fn holds(&self, registry: &Registry, tool: &ToolDefinition) -> bool {
        let operation = tool.operation();
        let is_wanted = self.operations.is_empty()
            || operation.is_some_and(|operation| self.operations.contains(&operation));
        is_wanted
            && self.tags.iter().all(|wanted| tool.tags().any(|tag| tag == wanted))
            // Asked for only where it matters: a requirement may have to look around.
            && (self.met == [true, true] || self.met[usize::from(!requirements(registry, tool).met)])
    }
}

/// Whether everything is there that the tool requires, which may be nothing.
pub(crate) fn requirements(registry: &Registry, tool: &ToolDefinition) -> Met {
    registry.requirements(tool.name()).map_or(Met { met: true, message: None }, Met::from)
}

/// Whether requirements are met, and what is missing.
#[derive(serde::Serialize)]
pub(crate) struct Met {
    pub(crate) met: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

impl From<Requirements> for Met {
    fn from(requirements: Requirements) -> Self {
        Met { met: requirements.met, message: requirements.message }
    }
}

/// Why the caller may not call the tool.
pub(crate) fn denial(registry: &Registry, tool: &ToolDefinition) -> Option<String> {
    tool.permission()?;
    let failure = registry.check_access(tool.name()).err()?;
    (failure.kind() == FailureKind::Denied).then(|| failure.message().to_owned())
}

/// JSON for scripts, with indentation for whoever looks at it all the same.
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

fn cells(registry: &Registry, tool: &ToolDefinition) -> [String; 3] {
    let mut operation = tool.operation().map_or("-", Operation::as_str).to_owned();
    if tool.destructive() {
        operation.push_str(", destructive");
    }
    let mut lines = vec![summary(tool.description())];
    lines.extend(tool.deprecated().map(|_| "deprecated".to_owned()));
    let met = requirements(registry, tool);
    if !met.met {
        lines.push(format!("cannot run: {}", met.message.unwrap_or_default()));
    }
    lines.extend(denial(registry, tool).map(|reason| format!("denied: {reason}")));
    [tool.name().to_owned(), operation, lines.join("\n")]
}
