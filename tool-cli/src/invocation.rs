//! `run` and `validate`: a call of one tool, and what it gave.

use clap::ArgMatches;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_core::{Content, Failure, FailureKind, Output, Registry, ResourceBody, ToolDefinition, Validation};

use crate::page::{neutral, pretty};
use crate::stop::{self, Stop};
use crate::streams::Streams;
use crate::{arguments, grammar};

/// Runs a tool and shows its output.
pub(crate) async fn run(
    registry: &Registry,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), Stop> {
    let output = attempt(registry, matches, streams).await?;
    let page = if grammar::wants_json(matches) { success(&output) } else { human(&output) };
    Ok(streams.print(&page)?)
}

/// Checks the arguments for a tool and tells the verdict, which is a result like any other.
pub(crate) fn validate(registry: &Registry, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let tool = stop::find(registry, name(matches))?;
    let arguments = arguments::gather(tool, matches, streams)?;
    let verdict = registry.validate(tool.name(), &arguments);
    let page = match &verdict {
        Ok(validation) if grammar::wants_json(matches) => valid(validation),
        Ok(Validation { repairs, .. }) => {
            let repairs = repairs.iter().map(|repair| format!("\n- {}", neutral(&repair.to_string())));
            format!("valid{}", repairs.collect::<String>())
        }
        Err(failure) if grammar::wants_json(matches) => {
            json!({ "valid": false, "errors": failure.problems() }).to_string()
        }
        Err(failure) => neutral(&failure.text()).into_owned(),
    };
    streams.print(&format!("{page}\n"))?;
    verdict.map(|_| ()).map_err(Stop::Told)
}

/// What holds, and what was repaired so that it holds.
fn valid(validation: &Validation) -> String {
    let mut verdict = json!({ "valid": true });
    if !validation.repairs.is_empty() {
        verdict["repairs"] = json!(validation.repairs);
    }
    verdict.to_string()
}

fn name(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("name").map_or("", String::as_str)
}

async fn attempt(registry: &Registry, matches: &ArgMatches, streams: &mut Streams) -> Result<Output, Stop> {
    let tool = stop::find(registry, name(matches))?;
    let asks = tool.destructive() && !matches.get_flag("yes");
    if asks {
        // Nobody should have to think about a call that cannot be made.
        registry.admits(tool.name()).map_err(Stop::call)?;
    }
    if asks && !streams.is_interactive() {
        return Err(unconfirmed(tool, "say so with --yes"));
    }
    let arguments = arguments::gather(tool, matches, streams)?;
    if asks {
        registry.validate(tool.name(), &arguments).map_err(Stop::call)?;
        let question = format!("`{}` may destroy or overwrite. Run it? [y/N] ", tool.name());
        if !streams.ask(&question).map_err(Stop::Stdin)? {
            return Err(unconfirmed(tool, "it was not confirmed"));
        }
    }
    call(registry, tool.name(), arguments, streams).await.map_err(Stop::call)
}

fn unconfirmed(tool: &ToolDefinition, why: &str) -> Stop {
    let message = format!("`{}` may destroy or overwrite and was not run: {why}", tool.name());
    Stop::call(Failure::new(FailureKind::Disabled, message))
}

/// Calls the tool, until it is done or somebody interrupts.
async fn call(
    registry: &Registry,
    name: &str,
    arguments: Vec<u8>,
    streams: &mut Streams,
) -> Result<Output, Failure> {
    let (interrupted, overdue) = streams.interrupt().listen();
    // A task of its own: a function that blocks then does not keep us from hearing the interrupt.
    let mut task = tokio::spawn({
        let (registry, name) = (registry.clone(), name.to_owned());
        async move { registry.invoke(&name, &arguments).await }
    });
    tokio::select! {
        reply = &mut task => match reply {
            Ok(reply) => reply.result,
            // Panics are contained further in: what remains is a runtime that shuts down.
            Err(_) => Err(Failure::internal()),
        },
        () = interrupted.cancelled() => {
            task.abort();
            // A change that is under way is not left half done.
            tokio::select! {
                () = registry.idle() => {}
                () = overdue.cancelled() => {}
            }
            Err(Failure::new(FailureKind::Cancelled, format!("`{name}` was interrupted")))
        }
    }
}

/// An output as the one object on stdout.
fn success(output: &Output) -> String {
    #[derive(Serialize)]
    struct Success<'o> {
        success: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<Box<RawValue>>,
        content: &'o [Content],
    }

    let object = Success { success: true, output: bare(output), content: &output.content() };
    // Neither a raw value nor content can fail to be written.
    serde_json::to_string(&object).map(|json| json + "\n").unwrap_or_default()
}

/// The bare value with all of its digits; none where the tool returns nothing.
fn bare(output: &Output) -> Option<Box<RawValue>> {
    let nothing = output.structured().is_none() && output.value().is_null();
    if nothing { None } else { output.decode().ok() }
}

/// An output for people: a text as it is, content block by block, any other value as JSON.
fn human(output: &Output) -> String {
    if output.structured().is_some() {
        return bare(output).map(|json| format!("{}\n", neutral(&pretty(&json)))).unwrap_or_default();
    }
    output.content().iter().map(|block| ended(neutral(&block_text(block)).into_owned())).collect()
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
        other => json_of(other),
    }
}

fn json_of(block: &Content) -> String {
    serde_json::to_value(block).unwrap_or(Value::Null).to_string()
}

/// The text with a line break at its end, unless it has one.
fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
