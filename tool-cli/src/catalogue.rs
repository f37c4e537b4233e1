//! `list`: the tools of the registry.

use clap::ArgMatches;
use serde_json::{Value, json};
use tool_core::{Operation, Registry, ToolDefinition};

use crate::page::{summary, table};
use crate::stop::Stop;
use crate::streams::Streams;

/// Lists the tools, by name.
pub(crate) fn list(registry: &Registry, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let wanted: Option<Vec<Operation>> =
        matches.get_many("operation").map(|wanted| wanted.copied().collect());
    let wanted = |tool: &&ToolDefinition| {
        wanted
            .as_ref()
            .is_none_or(|wanted| tool.operation().is_some_and(|operation| wanted.contains(&operation)))
    };
    let tools: Vec<_> = registry.tools().filter(wanted).collect();
    let page = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => json_text(&tools.iter().map(|tool| row(tool)).collect::<Vec<_>>().into()),
        Some("name") => tools.iter().map(|tool| format!("{}\n", tool.name())).collect(),
        _ if tools.is_empty() => {
            streams.complain("no tools\n");
            return Ok(());
        }
        _ => {
            let rows: Vec<_> = tools.iter().map(|tool| cells(tool)).collect();
            table(["NAME", "OPERATION", "DESCRIPTION"], &rows, streams.width(), streams.paint())
        }
    };
    Ok(streams.print(&page)?)
}

/// JSON for scripts, with indentation for whoever looks at it all the same.
pub(crate) fn json_text(value: &Value) -> String {
    format!("{value:#}\n")
}

fn row(tool: &ToolDefinition) -> Value {
    let mut row = json!({ "name": tool.name() });
    if let Some(title) = tool.title() {
        row["title"] = title.into();
    }
    row["description"] = tool.description().into();
    if let Some(operation) = tool.operation() {
        row["operation"] = operation.as_str().into();
    }
    row["destructive"] = tool.destructive().into();
    row
}

fn cells(tool: &ToolDefinition) -> [String; 3] {
    let mut operation = tool.operation().map_or("-", Operation::as_str).to_owned();
    if tool.destructive() {
        operation.push_str(", destructive");
    }
    [tool.name().to_owned(), operation, summary(tool.description())]
}
