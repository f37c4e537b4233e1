{%- assign with_http = false -%}
{%- assign with_mcp = false -%}
{%- if interfaces == "all" or interfaces == "http" -%}{%- assign with_http = true -%}{%- endif -%}
{%- if interfaces == "all" or interfaces == "mcp" -%}{%- assign with_mcp = true -%}{%- endif -%}
//! The program: its tools on the command line{% if with_http %}, over HTTP{% endif %}{% if with_mcp %}, over MCP{% endif %}.

use std::error::Error;
{%- if with_http or with_mcp %}
use std::path::PathBuf;
{%- endif %}
use std::process::ExitCode;

{% if with_http or with_mcp -%}
use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::authentication::Bearer;
use tool_core::{Principal, Registry};
{%- else -%}
use tool_cli::App;
use tool_core::Registry;
{%- endif %}

use {{crate_name}}::notes::Notes;

const NAME: &str = env!("CARGO_PKG_NAME");
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[tokio::main]
async fn main() -> ExitCode {
    match app().await {
        Ok(app) => app.run().await,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn app() -> Result<App, Box<dyn Error>> {
    let notes = Notes::open().await?;
    let tools = Registry::builder().linked().state(notes).build()?;
    let app = App::new(NAME, tools{% if with_http or with_mcp %}.clone(){% endif %}).version(VERSION);
{%- if with_http %}
    let http = tools{% if with_mcp %}.clone(){% endif %};
    let http = Server::new(move |options| serve_http(http, options));
    let app = app.server("http", http.addr(([127, 0, 0, 1], 8080)).allow_execute());
{%- endif %}
{%- if with_mcp %}
    let mcp = Server::new(move |options| serve_mcp(tools, options));
    let app = app.server("mcp", mcp.optional_addr().mcp_stdio());
{%- endif %}
    Ok(app)
}
{%- if with_http or with_mcp %}

/// Reads who may call from the file of the variable `TOKENS`, if it is set: a
/// line `name token` for each, and comments that begin with `#`. Without it,
/// servers refuse to run tools on an address that is not loopback.
fn callers() -> Result<Option<Bearer>, ServeError> {
    let Some(file) = std::env::var_os("TOKENS").map(PathBuf::from) else {
        return Ok(None);
    };
    let shown = file.display();
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{shown}: {error}"))?;
    let mut callers = Bearer::new();
    for (line, number) in text.lines().zip(1..) {
        let words: Vec<&str> = line.split_whitespace().collect();
        callers = match words[..] {
            [] => continue,
            [first, ..] if first.starts_with('#') => continue,
            [name, token] => callers
                .token(token, Principal::new(name))
                .map_err(|error| format!("{shown}, line {number}: {error}"))?,
            _ => return Err(format!("{shown}, line {number}: expected `name token`").into()),
        };
    }
    Ok(Some(callers))
}
{%- endif %}
{%- if with_http %}

async fn serve_http(tools: Registry, options: ServeOptions) -> Result<(), ServeError> {
    let mut http = tool_http::Options::new();
    if let Some(callers) = callers()? {
        // Without it, everybody can list the tools.
        http = http.authenticator(callers).protect_discovery(true);
    }
    options
        .run(tool_http::Server::new(tools).options(http))
        .await
}
{%- endif %}
{%- if with_mcp %}

/// Serves on stdio, or over HTTP if there is an address.
async fn serve_mcp(tools: Registry, options: ServeOptions) -> Result<(), ServeError> {
    let mut server = tool_mcp::Server::new(tools);
    if options.addr.is_some()
        && let Some(callers) = callers()?
    {
        server = server.authenticator(callers);
    }
    options.run(server).await
}
{%- endif %}
