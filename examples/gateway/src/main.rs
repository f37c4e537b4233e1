//! The gateway as a program: the tools of all servers on the command line, over HTTP and over MCP.
//!
//! See [`gateway::Settings`] for its environment variables. Errors are logged to stderr; `RUST_LOG` sets the level.
//! Traces and metrics go to an OpenTelemetry collector if `OTEL_EXPORTER_OTLP_ENDPOINT` names one.

mod accounts;

use std::env;
use std::process::ExitCode;

use gateway::{Settings, SettingsError};
use telemetry::Telemetry;
use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::provider::Provider;
use tool_core::results::ResultStore;
use tool_core::{BuildErrors, Principal, Registry};
use tool_mcp::upstream::Upstreams;
use tool_mcp::{Changes, Discovery};

#[tokio::main]
async fn main() -> ExitCode {
    // Errors of servers are logged here without URLs, which may contain secrets. Command-line callers see the reason of a
    // failure; for servers it is in the log.
    let serves = env::args_os().any(|argument| argument == "serve");
    let usual = if serves { "warn,rmcp=off" } else { "warn,tool_core::call::failure_log=error,rmcp=off" };
    let telemetry = match Telemetry::init("gateway", usual) {
        Ok(telemetry) => telemetry,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    run(telemetry).await.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

async fn run(telemetry: Telemetry) -> Result<ExitCode, ServeError> {
    let command = accounts::Command::from_args(env::args_os())?;
    let changes = Changes::new();
    let setup = Setup::from_env(&changes);
    // Help and wrong usage need no configuration. The commands that do say what is wrong with it.
    if let Some(command) = command {
        return command.run(setup.map(|setup| setup.upstreams)).await;
    }
    let setup = setup.map_err(|error| error.to_string());
    let app = app(&setup, &changes)?;
    let runtime = tokio::runtime::Handle::current();
    // Also where the process exits without dropping anything, as after a signal.
    let end = move || {
        if let Ok(Setup { upstreams, .. }) = &setup {
            tokio::task::block_in_place(|| runtime.block_on(upstreams.shutdown()));
        }
        telemetry.shutdown();
    };
    Ok(app.on_exit(end).run().await)
}

/// The servers of the configuration, and the store of large results.
#[derive(Clone)]
struct Setup {
    upstreams: Upstreams,
    results: Option<ResultStore>,
}

impl Setup {
    fn from_env(changes: &Changes) -> Result<Self, SettingsError> {
        let settings = Settings::from_env()?;
        for remark in settings.remarks() {
            tracing::warn!(remark, "the configuration says more than is followed");
        }
        Ok(Setup { upstreams: settings.upstreams(changes)?, results: gateway::results_from_env()? })
    }

    fn tools(&self) -> Result<Provider, BuildErrors> {
        gateway::tools(&self.upstreams, self.results.as_ref())
    }
}

fn app(setup: &Result<Setup, String>, changes: &Changes) -> Result<App, BuildErrors> {
    let (over_http, over_mcp, found) = (setup.clone(), setup.clone(), setup.clone());
    let changes = changes.clone();
    let http = Server::new(async move |options| serve_http(&over_http?, options).await).about("Serve HTTP");
    let mcp = Server::new(async move |options| serve_mcp(&over_mcp?, &changes, options).await)
        .about("Serve MCP, on stdio unless --addr is given")
        .optional_addr()
        .choice("discovery", ["two-step", "direct"], "Three tools to find the others with, or all of them");
    let app = App::new("gateway", Registry::builder().allow_empty().build()?)
        .version(env!("CARGO_PKG_VERSION"))
        .about("The tools of other MCP servers; `gateway sign-in SERVER` signs in to one of them")
        .server("http", http.addr(([127, 0, 0, 1], 8080)).allow_execute())
        .server("mcp", mcp)
        .discover(async move |tool: Option<String>| discover(&found?, tool.as_deref()).await);
    Ok(app)
}

/// Returns the tools of the server that has this tool, or of all servers. Servers skip this: their clients list tools themselves.
async fn discover(setup: &Setup, tool: Option<&str>) -> Result<Registry, ServeError> {
    let tools = match tool.and_then(|tool| setup.upstreams.provider_of(tool)) {
        Some(one) => one,
        None => setup.tools()?,
    };
    Ok(tools.tools(&Principal::local()).await?.registry().clone())
}

async fn serve_http(setup: &Setup, options: ServeOptions) -> Result<(), ServeError> {
    let http = tool_http::Options::new().excerpts(true);
    options.run(tool_http::Server::new(setup.tools()?).options(http)).await
}

async fn serve_mcp(setup: &Setup, changes: &Changes, options: ServeOptions) -> Result<(), ServeError> {
    // Starts all servers now, so that the first request does not wait for them.
    setup.upstreams.start();
    let discovery =
        if options.choice("discovery") == Some("direct") { Discovery::Direct } else { Discovery::TwoStep };
    options.run(gateway::server(setup.tools()?, changes, discovery)).await
}
