//! `info`: everything that is declared about one tool.

use clap::ArgMatches;
use serde_json::{Value, json};
use tool_core::{Operation, ToolDefinition};

use crate::app::App;
use crate::catalogue::json_text;
use crate::outline;
use crate::page::{Paint, neutral, table};
use crate::stop::{self, Stop};
use crate::streams::Streams;

/// Tells everything that is declared about a tool.
pub(crate) fn info(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let tool = stop::find(&app.registry, name)?;
    let page = match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => json_text(&object(tool)),
        _ => page(&app.name, tool, streams.width(), streams.paint()),
    };
    Ok(streams.print(&page)?)
}

fn object(tool: &ToolDefinition) -> Value {
    let source = tool.source();
    let members = [
        ("name", Some(json!(tool.name()))),
        ("title", tool.title().map(Value::from)),
        ("description", Some(json!(tool.description()))),
        ("operation", tool.operation().map(|operation| json!(operation))),
        ("modifying", Some(json!(tool.modifies()))),
        ("destructive", Some(json!(tool.destructive()))),
        ("idempotent", Some(json!(tool.idempotent()))),
        ("open_world", Some(json!(tool.open_world()))),
        ("annotations", tool.annotations().map(|hints| json!(hints))),
        ("inputs", Some(json!(tool.inputs()))),
        ("outputs", tool.outputs().map(|outputs| json!(outputs))),
        ("input_schema", Some(tool.input_schema().clone())),
        ("output_schema", tool.output_schema().cloned()),
        ("example", Some(tool.example().clone())),
        ("source", Some(json!({ "file": source.file, "line": source.line, "module": source.module }))),
        ("digest", Some(json!(tool.digest().to_string()))),
    ];
    members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn page(program: &str, tool: &ToolDefinition, width: u16, paint: Paint) -> String {
    let mut page = paint.heading(&neutral(tool.name()));
    if let Some(title) = tool.title() {
        page.push_str(&format!("  {}", neutral(title)));
    }
    page.push_str(&format!("\n\n{}\n\n", neutral(tool.description())));

    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let source = tool.source();
    let place = match source.module {
        "" => format!("{source}, written by hand"),
        module => format!("{source}, module {module}"),
    };
    let facts = [
        ("Operation", tool.operation().map_or("not declared".to_owned(), meaning)),
        ("Modifying", yes(tool.modifies())),
        ("Destructive", yes(tool.destructive())),
        ("Idempotent", yes(tool.idempotent())),
        ("Open world", yes(tool.open_world())),
        ("Source", place),
        ("Digest", tool.digest().to_string()),
        ("Example", example(program, tool)),
    ];
    for (name, fact) in facts {
        page.push_str(&format!("{}  {}\n", paint.heading(&format!("{name:<11}")), neutral(&fact)));
    }

    page.push('\n');
    if tool.inputs().is_empty() {
        page.push_str("It takes no inputs.\n");
    } else {
        let rows = outline::inputs(tool.inputs());
        page.push_str(&table(["INPUT", "TYPE", "REQUIRED", "DESCRIPTION"], &rows, width, paint));
    }
    page.push('\n');
    match tool.outputs() {
        None => page.push_str("Its output is a text, content or nothing.\n"),
        Some(outputs) => {
            let rows: Vec<_> = outline::output(outputs)
                .into_iter()
                .map(|[path, kind, _, details]| [path, kind, details])
                .collect();
            page.push_str(&table(["OUTPUT", "TYPE", "DESCRIPTION"], &rows, width, paint));
        }
    }
    page
}

fn meaning(operation: Operation) -> String {
    let meaning = match operation {
        Operation::Explain => "tells about the system itself",
        Operation::Read => "returns stored state",
        Operation::Transform => "computes a new value and changes nothing",
        Operation::Trigger => "starts something whose effect lies elsewhere",
        Operation::Write => "changes stored state",
    };
    format!("{operation}: {meaning}")
}

/// A call that is valid, as one would type it into a POSIX shell.
fn example(program: &str, tool: &ToolDefinition) -> String {
    let mut words = format!("{program} run {}", tool.name());
    for (name, value) in tool.example().as_object().into_iter().flatten() {
        let kind =
            tool.inputs().iter().find(|input| input.name.as_ref() == Some(name)).map(|input| input.kind);
        let pair = match value {
            Value::String(text) if kind == Some("string") => format!("{name}={text}"),
            value if matches!(kind, Some("integer" | "number" | "boolean")) => format!("{name}={value}"),
            value => format!("{name}:={value}"),
        };
        words.push(' ');
        words.push_str(&quoted(&pair));
    }
    words
}

fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if word.chars().all(harmless) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_survives_the_shell() {
        assert_eq!(quoted("date=2014-07-04"), "date=2014-07-04");
        assert_eq!(quoted("n:=[1,2]"), "'n:=[1,2]'");
        assert_eq!(quoted("it=isn't $HOME"), r"'it=isn'\''t $HOME'");
    }
}
