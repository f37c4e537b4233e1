//! The weather example as a program: its tools on the command line, over HTTP and over MCP.
//!
//! `WEATHER_REPORTS` names the file for reports, by default `weather-reports.jsonl` in the current folder.
//! `WEATHER_LENIENCY=strict` rejects arguments of the wrong type. `WEATHER_TOKEN` is the bearer token of callers over HTTP and MCP.
//! `WEATHER_RESULTS` names a directory for large results. Errors are logged to stderr; `RUST_LOG` sets the level.
//! Traces and metrics go to an OpenTelemetry collector if `OTEL_EXPORTER_OTLP_ENDPOINT` names one.

use std::env;
use std::process::ExitCode;

use telemetry::Telemetry;
use tool_cli::{App, Package, ServeError, ServeOptions, Server};
use tool_core::authentication::Bearer;
use tool_core::results::ResultStore;
use tool_core::schema::Leniency;
use tool_core::{Principal, Registry};
use tool_http::OpenApiVersion;
use tool_mcp::Surfaces;

#[tokio::main]
async fn main() -> ExitCode {
    // Command-line callers see the reason of a failure; for servers it is in the log.
    let serves = env::args_os().any(|argument| argument == "serve");
    let usual = if serves { "warn" } else { "error" };
    let telemetry = match Telemetry::init("weather", usual) {
        Ok(telemetry) => telemetry,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };

    let reports = env::var_os("WEATHER_REPORTS").unwrap_or_else(|| "weather-reports.jsonl".into());
    let built = leniency().and_then(|leniency| {
        let mut builder = weather::builder(reports).leniency(leniency);
        if let Some(directory) = env::var_os("WEATHER_RESULTS") {
            let results = ResultStore::local(&directory);
            builder = builder
                .storing(results.map_err(|error| format!("WEATHER_RESULTS is {directory:?}: {error}"))?);
        }
        let registry = builder.build().map_err(|errors| errors.to_string())?;
        Ok((registry, bearer()?))
    });
    let (registry, bearer) = match built {
        Ok(built) => built,
        Err(errors) => {
            eprintln!("{errors}");
            return ExitCode::FAILURE;
        }
    };
    let mut http_options = tool_http::Options::new().title("weather");
    if let Some(bearer) = &bearer {
        http_options = http_options.authenticator(bearer.clone());
    }
    let http = tool_http::Server::new(registry.clone()).options(http_options.clone());
    let over_mcp = registry.clone();
    let mcp = Server::new(move |options| serve_mcp(over_mcp, bearer, options))
        .about("Serve MCP, on stdio unless --addr is given")
        .optional_addr()
        .mcp_stdio()
        .choice("surfaces", Surfaces::ALL.map(Surfaces::as_str), "Whether what is a resource is a tool too");
    App::new("weather", registry)
        .version(env!("CARGO_PKG_VERSION"))
        .about("Daily weather of Seattle and New York, 2012 to 2015")
        .server("http", http)
        .server("mcp", mcp)
        .package(package())
        .openapi(OpenApiVersion::ALL, move |registry, version| {
            tool_http::openapi(registry, version, &http_options.clone().allow_execute(true))
        })
        .on_exit(|| telemetry.shutdown())
        .run()
        .await
}

/// Returns what `publish` tells of this example besides its tools.
fn package() -> Package {
    Package::new("io.github.example/weather")
        .title("Weather")
        .author("The authors of the weather example")
        .license(env!("CARGO_PKG_LICENSE"))
        .homepage("https://example.org/weather")
        .repository("https://github.com/example/weather")
}

fn leniency() -> Result<Leniency, String> {
    match env::var_os("WEATHER_LENIENCY") {
        None => Ok(Leniency::default()),
        Some(word) if word == "repair" => Ok(Leniency::Coerce),
        Some(word) if word == "strict" => Ok(Leniency::Strict),
        Some(word) => Err(format!("WEATHER_LENIENCY is {word:?}: expected `repair` or `strict`")),
    }
}

/// Returns the token from the environment, which callers over a network must send.
fn bearer() -> Result<Option<Bearer>, String> {
    let Some(token) = env::var_os("WEATHER_TOKEN") else { return Ok(None) };
    let token = token.into_string().map_err(|_| "WEATHER_TOKEN is not UTF-8")?;
    let bearer = Bearer::new().token(token, Principal::new("bearer"));
    bearer.map(Some).map_err(|error| format!("WEATHER_TOKEN: {error}"))
}

async fn serve_mcp(
    registry: Registry,
    bearer: Option<Bearer>,
    options: ServeOptions,
) -> Result<(), ServeError> {
    let surfaces = options.choice("surfaces").map(str::parse::<Surfaces>).transpose()?.unwrap_or_default();
    let mut server = tool_mcp::Server::new(registry).surfaces(surfaces).instructions(
        "Daily weather of Seattle and New York from 2012 to 2015. Call `explain_columns` for units.",
    );
    if options.addr.is_some()
        && let Some(bearer) = bearer
    {
        server = server.authenticator(bearer);
    }
    options.run(server).await
}
