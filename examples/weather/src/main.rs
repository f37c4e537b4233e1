//! The weather example as one program: its tools on the command line, over HTTP and over MCP.
//!
//! Reports are kept in the file that `WEATHER_REPORTS` names, or else in `weather-reports.jsonl` in the current folder.
//! Faults are logged to stderr; `RUST_LOG` says how much.

use std::env;
use std::process::ExitCode;

use tool_cli::{App, ServeError, ServeOptions, Server};
use tool_core::Registry;
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();

    let reports = env::var_os("WEATHER_REPORTS").unwrap_or_else(|| "weather-reports.jsonl".into());
    let registry = match weather::registry(reports) {
        Ok(registry) => registry,
        Err(errors) => {
            eprintln!("{errors}");
            return ExitCode::FAILURE;
        }
    };
    let (over_http, over_mcp) = (registry.clone(), registry.clone());
    let http = Server::new(move |options| serve_http(over_http, options)).about("Serve HTTP");
    let mcp = Server::new(move |options| serve_mcp(over_mcp, options))
        .about("Serve MCP, on stdio unless --addr is given");
    App::new("weather", registry)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Daily weather of Seattle and New York, 2012 to 2015")
        .server("http", http.addr(([127, 0, 0, 1], 8080)))
        .server("mcp", mcp)
        .run()
        .await
}

async fn serve_http(registry: Registry, options: ServeOptions) -> Result<(), ServeError> {
    let addr = options.addr.ok_or("an address is needed")?;
    let http = tool_http::Options::new().title("weather").allow_execute(options.allow_execute);
    let server = tool_http::Server::bind(registry, addr, http).await?;
    options.listening(server.local_addr());
    server.run(options.shutdown()).await;
    Ok(())
}

async fn serve_mcp(registry: Registry, options: ServeOptions) -> Result<(), ServeError> {
    let server =
        tool_mcp::Server::new(registry).name("weather").version(env!("CARGO_PKG_VERSION")).instructions(
            "Daily weather of Seattle and New York from 2012 to 2015. Call `explain_columns` for units.",
        );
    match options.addr {
        // What modifies is finished by `serve` itself, before the program ends.
        None => tokio::select! {
            served = server.serve_stdio() => served?,
            () = options.shutdown() => {}
        },
        Some(addr) => {
            let server = server.serve_http(addr).await?;
            options.listening(server.local_addr());
            server.run_until(options.shutdown()).await?;
        }
    }
    Ok(())
}
