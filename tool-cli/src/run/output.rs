//! The output of a call, as text or data.

use clap::ArgMatches;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tool_core::{Content, Output, ResourceBody};

use crate::arguments::{Member, members};
use crate::cli::{self, Format};
use crate::error::CliError;
use crate::streams::Streams;
use crate::style::{Paint, neutral, pretty};
use crate::table::Table;

/// Prints an output in the format of the command.
pub(crate) fn show(output: &Output, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let page = match cli::format(matches) {
        Format::Json => json(output),
        Format::Yaml => yaml(output),
        _ => text(output, streams.width(), streams.paint()),
    };
    Ok(streams.print(&page)?)
}

/// Returns an output as one JSON object.
pub(crate) fn json(output: &Output) -> String {
    // Raw values and content can always be serialized.
    serde_json::to_string(&Success::of(output)).map(|json| json + "\n").unwrap_or_default()
}

/// Returns the same as YAML. With a number that `Value` cannot represent, it remains JSON, which is valid YAML.
pub(super) fn yaml(output: &Output) -> String {
    let json = json(output);
    match serde_json::from_str::<Value>(&json) {
        Ok(value) if format!("{value}\n") == json => crate::yaml::text(&value),
        _ => json,
    }
}

#[derive(Serialize)]
struct Success {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    content: Vec<Content>,
}

impl Success {
    fn of(output: &Output) -> Self {
        Success { success: true, output: value_json(output), content: output.content().into_owned() }
    }
}

/// Returns the value with all digits; `None` if the tool returns nothing.
fn value_json(output: &Output) -> Option<Box<RawValue>> {
    let nothing = output.structured().is_none() && output.value().is_null();
    if nothing { None } else { output.decode().ok() }
}

/// Returns an output for people: strings and content as text, a list of flat objects as a table, other values as JSON.
pub(crate) fn text(output: &Output, width: u16, paint: Paint) -> String {
    if output.structured().is_none() {
        return output
            .content()
            .iter()
            .map(|block| with_newline(neutral(&block_text(block)).into_owned()))
            .collect();
    }
    let Some(json) = value_json(output) else { return String::new() };
    records(&json).map_or_else(
        || format!("{}\n", neutral(&pretty(&json))),
        |records| table(&records).text(width, paint),
    )
}

/// Returns the rows of a list, if it contains only objects of scalars.
fn records(json: &RawValue) -> Option<Vec<Vec<Member>>> {
    let items: Vec<&RawValue> = serde_json::from_str(json.get()).ok()?;
    let records =
        items.iter().map(|item| members(item.get().as_bytes()).filter(|_| item.get().starts_with('{')));
    let records: Vec<Vec<Member>> = records.collect::<Option<_>>()?;
    let flat = |(_, value): &Member| !value.get().starts_with(['{', '[']);
    (!records.is_empty() && records.iter().all(|record| !record.is_empty() && record.iter().all(flat)))
        .then_some(records)
}

/// Returns a table with a row for each record and a column for each name.
fn table(records: &[Vec<Member>]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in records.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut table = Table::new(names.iter().copied());
    for record in records {
        let value = |name: &&str| record.iter().find(|(key, _)| key == name).map(|(_, value)| cell(value));
        table.push(names.iter().map(|name| value(name).unwrap_or_default()));
    }
    table
}

/// Returns a scalar for people: strings without quotes, nothing for `null`, numbers with all digits.
fn cell(value: &RawValue) -> String {
    match serde_json::from_str(value.get()) {
        Ok(Value::String(text)) => text,
        Ok(Value::Null) => String::new(),
        _ => value.get().to_owned(),
    }
}

fn block_text(block: &Content) -> String {
    match block {
        Content::Text { text } => text.clone(),
        Content::Image { data, mime_type } => format!("[image: {mime_type}, {} bytes]", data.len()),
        Content::Audio { data, mime_type } => format!("[audio: {mime_type}, {} bytes]", data.len()),
        Content::ResourceLink { uri, name, .. } => format!("{name}: {uri}"),
        Content::Resource { body: ResourceBody::Text(text), .. } => text.clone(),
        Content::Resource { uri, mime_type, body: ResourceBody::Blob(bytes) } => {
            format!("[{uri}: {mime_type}, {} bytes]", bytes.len())
        }
        other => serde_json::to_value(other).unwrap_or(Value::Null).to_string(),
    }
}

/// Adds a line break at the end, if there is none.
fn with_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
