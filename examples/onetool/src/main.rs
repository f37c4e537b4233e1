//! OneTool as a program: its tools on the command line, over HTTP and over MCP, and its search service.
//!
//! See [`onetool::Settings`] for its environment variables. Errors are logged to stderr; `RUST_LOG` sets the level.

use std::env;
use std::net::Ipv4Addr;
use std::process::ExitCode;

use onetool::{Service, Settings};
use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::Registry;
use tool_mcp::{PromptsFile, Surfaces};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    // The child process of `onetool::Sandbox`. It starts before there are threads or anything else to give up.
    if env::args_os().nth(1).is_some_and(|argument| argument == onetool::ROLE) {
        return onetool::worker();
    }
    // Command-line callers see the reason of a failure; for servers it is in the log.
    let serves = env::args_os().any(|argument| argument == "serve");
    let usual = if serves { "warn" } else { "error" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A call whose log nobody reads must not panic.
    log.log_internal_errors(false).init();
    let served = tokio::runtime::Runtime::new()
        .map_err(ServeError::from)
        .and_then(|runtime| runtime.block_on(serve()));
    served.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

async fn serve() -> Result<ExitCode, ServeError> {
    let settings = Settings::from_env();
    let (origin, running) = match &settings.search {
        Some(origin) => (origin.clone(), None),
        None => {
            let service = Service::bind((Ipv4Addr::LOCALHOST, 0).into()).await?;
            (service.origin(), Some(service.start()))
        }
    };
    let registry = settings.registry(&origin)?;
    let code = app(registry, settings.words()?).run().await;
    drop(running);
    Ok(code)
}

fn app(registry: Registry, words: PromptsFile) -> App {
    let http = tool_http::Server::new(registry.clone());
    let over_mcp = onetool::server(registry.clone(), words);
    let mcp = Server::new(move |options| serve_mcp(over_mcp, options))
        .about("Serve MCP, on stdio unless --addr is given")
        .optional_addr()
        .choice("surfaces", Surfaces::ALL.map(Surfaces::as_str), "Whether what is a resource is a tool too");
    let search = Server::new(serve_search).about("Serve the search service alone");
    App::new("onetool", registry)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Search, fetch, and run blocks that do both")
        .server("http", http)
        .server("mcp", mcp)
        .server("search", search.addr(([127, 0, 0, 1], 7878)))
}

async fn serve_mcp(server: tool_mcp::Server, options: ServeOptions) -> Result<(), ServeError> {
    let surfaces = options.choice("surfaces").map(str::parse::<Surfaces>).transpose()?.unwrap_or_default();
    options.run(server.surfaces(surfaces)).await
}

async fn serve_search(options: ServeOptions) -> Result<(), ServeError> {
    let service = Service::bind(options.addr.ok_or("an address is needed")?).await?;
    options.listening(service.local_addr());
    service.run_until(options.shutdown()).await?;
    Ok(())
}
