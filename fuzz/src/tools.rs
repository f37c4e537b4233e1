//! The server that the targets talk to.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::elicitation::{Elicited, Sample};
use tool_core::logging::LogLevel;
use tool_core::{
    Content, Context, Failure, Prompt, PromptMessage, Registry, ToolError, prompt, prompts, tool, tools,
};
use tool_mcp::{Changes, DynamicResource, DynamicTemplate, Server, Updates};

/// The names of the tools that every caller sees.
pub(crate) const TOOLS: [&str; 11] =
    ["add", "ask", "columns", "emit", "media", "purge", "region", "report", "sample", "sleep", "weather"];

/// The name of a tool that no caller of the targets may call or see.
pub(crate) const HIDDEN: &str = "open_vault";

/// What the hidden tool says in its description and result.
pub(crate) const SECRET: &str = "vault-of-5d1c09";

/// How long a client has to answer what a tool asks.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Adds two numbers.
#[tool(operation = Transform, open_world = false, title = "Add")]
fn add(
    /** First. */
    a: i64,
    /** Second. */
    #[arg(default = 5)]
    b: i64,
) -> i64 {
    a.wrapping_add(b)
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

/// Sleeps for three seconds at most.
#[tool(operation = Read)]
async fn sleep(
    /** How long. */
    seconds: u64,
) -> u64 {
    let seconds = seconds.min(3);
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

/// Logs numbered messages of a length, and reports as often with a pause after each.
#[tool(operation = Read)]
async fn emit(
    #[inject] context: Context,
    /** The number of the first message. */
    first: u32,
    /** How many messages. */
    messages: u8,
    /** How many bytes each has in addition. */
    length: u32,
    /** How many reports. */
    reports: u8,
) -> u8 {
    let padding = "x".repeat(length.min(1 << 17) as usize);
    for number in (first..).take(messages.into()) {
        context.log(LogLevel::Info, format!("{number} {padding}"));
    }
    for report in 0..reports {
        context.progress(u64::from(report), u64::from(reports), padding.as_str());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    messages
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

/// Opens the vault-of-5d1c09.
#[tool(operation = Read, permission = "vault.open")]
fn open_vault(
    /** The shelf in the vault-of-5d1c09. */
    #[arg(default = 1)]
    shelf: u8,
) -> String {
    format!("{shelf} of {SECRET}")
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

/// Returns the server; `is_paged` for one that has pages of three items and notifies of changes.
pub(crate) fn server(is_paged: bool) -> Server {
    let tools =
        tools![add, ask, columns, emit, media, purge, region, report, sample, sleep, weather, open_vault];
    let registry = Registry::builder().tools(tools).prompts(prompts![letter]).hide_denied().build();
    let server = Server::new(registry.expect("the tools are valid"));
    let server =
        server.name("fixture").version("1.0.0").request_state_keys([[7; 32]]).answer_within(ANSWER_TIMEOUT);
    let server = server.resource(DynamicResource::text("docs://guide", "guide", "# Guide"));
    let server =
        server.resource_template(DynamicTemplate::new("docs://page/{id}", "page", async |_| Ok("a page")));
    if is_paged { server.page_size(3).changes(&Changes::new()).updates(&Updates::new()) } else { server }
}
