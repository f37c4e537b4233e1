//! The server of the sequences.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::elicitation::{Elicited, Sample};
use tool_core::logging::LogLevel;
use tool_core::{
    Content, Context, Failure, Prompt, PromptMessage, Registry, ToolError, prompt, prompts, tool, tools,
};

use crate::{Changes, DynamicResource, DynamicTemplate, Server, Updates};

/// Adds two numbers.
#[tool(operation = Transform, open_world = false, title = "Add")]
fn add(
    /** First. */
    a: i64,
    /** Second. */
    #[arg(default = 5)]
    b: i64,
) -> i64 {
    a + b
}

/// Returns a picture, a sound and a link.
#[tool(operation = Read)]
fn media() -> Vec<Content> {
    vec![
        Content::image([1, 2], "image/png"),
        Content::audio([3], "audio/wav"),
        Content::link("docs://a", "A"),
    ]
}

/// Fails.
#[tool(operation = Write, destructive = true)]
async fn purge() -> Result<(), ToolError> {
    Err(ToolError::conflict("the archive is locked"))
}

/// Sleeps.
#[tool(operation = Read)]
async fn sleep(
    /** How long. */
    seconds: u64,
) -> u64 {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    seconds
}

/// Reports and logs.
#[tool(operation = Read)]
async fn report(
    #[inject] context: Context,
    /** Whether to yield in between. */
    slow: bool,
) -> &'static str {
    context.progress(1, 2, "half");
    context.log(LogLevel::Debug, "looking");
    if slow {
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    context.log(LogLevel::Warning, "found");
    context.progress(2, 2, "");
    "done"
}

/// Reads a region.
#[tool(operation = Read)]
fn region(
    /** Which. */
    #[arg(header = "Region")]
    region: String,
) -> String {
    region
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Asks for a name.
#[tool(operation = Read)]
async fn ask(#[inject] context: Context) -> Result<String, Failure> {
    Ok(match context.elicit::<Name>("What is your name?").key("name").await? {
        Elicited::Accepted(Name { name }) => format!("Hello, {name}!"),
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "canceled".to_owned(),
    })
}

/// Asks a model.
#[tool(operation = Read)]
async fn sample(#[inject] context: Context) -> Result<String, Failure> {
    Ok(context.sample(Sample::new(50).user("A name, please")).await?.as_text())
}

/// Explains the columns.
#[tool(operation = Explain)]
fn columns() -> Vec<&'static str> {
    vec!["day", "rain"]
}

fn cities(_: &str) -> Vec<String> {
    ["Basel", "Bern", "Genf"].map(str::to_owned).into()
}

/// Reads the weather.
#[tool(operation = Read, cache = "1m")]
fn weather(
    /** Where. */
    #[arg(locator, complete = cities)]
    city: String,
    /** When. */
    #[arg(locator)]
    day: u8,
) -> String {
    format!("rain in {city} on {day}")
}

/// Writes a letter.
#[prompt]
fn letter(
    /** To whom. */
    name: String,
    /** How long. */
    #[arg(default = 100)]
    words: u32,
) -> Prompt {
    Prompt::new([PromptMessage::user(format!("Write {words} words to {name}."))])
}

fn registry() -> Registry {
    let tools = tools![add, media, purge, sleep, report, region, ask, sample, columns, weather];
    Registry::builder().tools(tools).prompts(prompts![letter]).build().unwrap()
}

/// The server of a sequence.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Plain,
    /// Sends change notifications, and has pages of three.
    Paged,
}

pub(super) fn server(kind: Kind) -> Server {
    let server = Server::new(registry()).name("fixture").version("1.0.0").request_state_keys([[7; 32]]);
    let server = server.resource(DynamicResource::text("docs://guide", "guide", "# Guide"));
    let server =
        server.resource_template(DynamicTemplate::new("docs://page/{id}", "page", async |_| Ok("a page")));
    match kind {
        Kind::Plain => server,
        Kind::Paged => server.page_size(3).changes(&Changes::new()).updates(&Updates::new()),
    }
}
