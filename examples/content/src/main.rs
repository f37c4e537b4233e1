//! The content example as a program: its tools on the command line, over HTTP and over MCP.
//!
//! | variable | meaning |
//! |---|---|
//! | `CONTENT_DATABASE` | the file of the site; by default `content/museum.sqlite` in the user's data folder. Its tasks are beside it in `museum.tasks.db`, and its archives in `museum.results` |
//! | `DATABASE_URL` | a database of PostgreSQL for the site and its tasks, in place of the file; MCP servers share their sessions and notifications there |
//! | `AWS_BUCKET` | a bucket of S3 for archives, with the other variables of AWS |
//! | `CONTENT_USER` | the calling user of the site |
//! | `CONTENT_SIGNING_KEY`, `CONTENT_SIGNING_KEY_FILE` | the secret that signs links and messages |
//! | `CONTENT_PUBLISH_LIMIT` | how often a user may publish in an hour, for `serve`; without a limit by default |
//! | `CONTENT_TOKENS` | a file with the tokens of users, for `serve` over HTTP |
//! | `RUST_LOG` | the log level on stderr |

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use content::{Settings, Site};
use tool_cli::{App, Package, ServeError, ServeOptions, Server};
use tool_core::authentication::Authenticator;
use tool_core::results::ResultStore;
use tool_core::tasks::TaskEngine;
use tool_core::{Principal, Registry};
use tool_http::OpenApiVersion;
use tool_mcp::{SessionStore, Surfaces, Updates};
use tool_replicas::{Bucket, BucketOptions, PostgresChanges, PostgresSessions};
use tool_tasks::{PostgresEngine, SqliteEngine};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    // Command-line callers see the reason of a failure; for servers it is in the log.
    let serves = env::args_os().any(|argument| argument == "serve");
    let usual = if serves { "warn" } else { "error" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A call whose log nobody reads must not panic.
    log.log_internal_errors(false).init();
    match app().await {
        Ok(app) => app.run().await,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

async fn app() -> Result<App, String> {
    let updates = Updates::new();
    let Stores { site, tasks, results, shared } = stores(&updates)?;
    let builder = content::builder_with_results(site.clone(), Settings::from_environment()?, &results);
    let mut builder = builder.tasks(tasks);
    if let Some(user) = env::var_os("CONTENT_USER") {
        builder = builder.local(local(&site, &user.to_string_lossy()).await?);
    }
    if let Some(limit) = env::var_os("CONTENT_PUBLISH_LIMIT") {
        builder = builder.layer(content::publishing_limit(publishing_limit(&limit.to_string_lossy())?));
    }
    let registry = builder.build().map_err(|errors| errors.to_string())?;

    let (over_http, over_mcp) = (registry.clone(), registry.clone());
    let (http_users, mcp_users) = (site.clone(), site.clone());
    let http = Server::new(move |options| serve_http(over_http, http_users, options))
        .about("Serve HTTP")
        .text("host", "NAME", "Answer requests for this host, too, which a proxy passes on")
        .text("issuer", "URL", "Take tokens of this OAuth issuer, whose subjects are users of the site")
        .text("resource", "URL", "The URL that clients use, which tokens are for [default: http://ADDR]");
    let mcp = Server::new(move |options| serve_mcp(over_mcp, mcp_users, updates, shared, options))
        .about("Serve MCP, on stdio unless --addr is given")
        .optional_addr()
        .mcp_stdio()
        .text("host", "NAME", "Answer requests for this host, too, which a proxy passes on")
        .text("issuer", "URL", "Take tokens of this OAuth issuer, whose subjects are users of the site")
        .text("resource", "URL", "The URL that clients use, which tokens are for [default: http://ADDR/mcp]")
        .choice("surfaces", Surfaces::ALL.map(Surfaces::as_str), "Whether what is a resource is a tool too");
    Ok(App::new("content", registry)
        .version(env!("CARGO_PKG_VERSION"))
        .about("The website of a small museum: its pages, their revisions and translations")
        .identities_async(move |user| {
            let site = site.clone();
            async move { site.principal(&user).await }
        })
        .server("http", http.addr(([127, 0, 0, 1], 8080)).allow_execute())
        .server("mcp", mcp)
        .package(Package::new("io.github.example/content").author("The authors of the content example"))
        .openapi(OpenApiVersion::ALL, |registry, version| {
            let options = tool_http::Options::new().title("content").allow_execute(true);
            tool_http::openapi(registry, version, &options)
        }))
}

/// Where the site, its tasks and its archives are stored.
struct Stores {
    site: Site,
    tasks: Arc<dyn TaskEngine>,
    results: ResultStore,
    /// What replicas share beside, if the site is in PostgreSQL.
    shared: Option<Shared>,
}

/// What replicas of an MCP server share.
struct Shared {
    changes: PostgresChanges,
    sessions: Arc<dyn SessionStore>,
}

/// Returns the stores, which are created when they are first needed.
fn stores(updates: &Updates) -> Result<Stores, String> {
    let default = || dirs::data_dir().unwrap_or_else(env::temp_dir).join("content").join("museum.sqlite");
    let (file, url) = (env::var_os("CONTENT_DATABASE").map(PathBuf::from), env::var_os("DATABASE_URL"));
    let Some(url) = url else {
        let file = file.unwrap_or_else(default);
        let updates = updates.clone();
        let site = Site::at(&file).on_change(move |addresses| {
            addresses.iter().for_each(|address| updates.notify(format!("content://{address}")));
        });
        // Beside the site: a worker of another site would run them there.
        let tasks = Arc::new(SqliteEngine::at(file.with_extension("tasks.db")));
        return Ok(Stores { site, tasks, results: results(&file.with_extension("results"))?, shared: None });
    };
    if file.is_some() {
        return Err(
            "the site is in the database of DATABASE_URL or in the file CONTENT_DATABASE: set one of them"
                .to_owned(),
        );
    }
    let url = url.into_string().map_err(|_| "DATABASE_URL: it is not valid UTF-8".to_owned())?;
    let site = Site::postgres(&url).map_err(|error| format!("DATABASE_URL: {error}"))?;
    let shared = Shared {
        changes: PostgresChanges::at(&url, "content").map_err(|error| format!("DATABASE_URL: {error}"))?,
        sessions: Arc::new(
            PostgresSessions::at(&url, "content").map_err(|error| format!("DATABASE_URL: {error}"))?,
        ),
    };
    let results = results(&default().with_extension("results"))?;
    Ok(Stores { site, tasks: Arc::new(PostgresEngine::at(url)), results, shared: Some(shared) })
}

/// Returns the store of archives: the bucket that `AWS_BUCKET` names, or this folder, which is created by commands that may need it.
fn results(folder: &Path) -> Result<ResultStore, String> {
    if env::var_os("AWS_BUCKET").is_some() {
        let bucket =
            Bucket::new(BucketOptions::from_env()).map_err(|error| format!("AWS_BUCKET: {error}"))?;
        return Ok(ResultStore::shared(bucket));
    }
    let needs_folder = |word: OsString| ["run", "serve", "task"].iter().any(|command| word == *command);
    if !env::args_os().any(needs_folder) {
        return Ok(ResultStore::memory());
    }
    Ok(ResultStore::local(folder).unwrap_or_else(|error| {
        tracing::warn!(%error, "archives are kept in memory, since {} cannot be used", folder.display());
        ResultStore::memory()
    }))
}

/// Logs that the bucket of archives cannot be used, if that is so: everything else works without it.
async fn check_bucket() {
    if env::var_os("AWS_BUCKET").is_none() {
        return;
    }
    let Ok(bucket) = Bucket::new(BucketOptions::from_env()) else { return };
    if let Err(error) = bucket.check().await {
        tracing::error!(%error, "archives cannot be stored in the bucket of AWS_BUCKET");
    }
}

/// Reads how often a user may publish in an hour.
fn publishing_limit(text: &str) -> Result<u32, String> {
    let limit = text.parse().ok().filter(|limit| *limit > 0);
    limit.ok_or_else(|| format!("CONTENT_PUBLISH_LIMIT: expected a number from 1 on, and not `{text}`"))
}

/// Returns the local user.
async fn local(site: &Site, user: &str) -> Result<Principal, String> {
    let found =
        site.principal(user).await.map_err(|error| format!("`{user}` cannot be looked up: {error}"))?;
    found.ok_or_else(|| format!("nobody is called `{user}`"))
}

/// Returns an authenticator for the tokens of an issuer, or for the users in the tokens file, if one of them is set. `path` is
/// that of the endpoint.
async fn authenticator(
    site: &Site,
    options: &ServeOptions,
    path: &str,
) -> Result<Option<Arc<dyn Authenticator>>, ServeError> {
    let file = env::var_os("CONTENT_TOKENS");
    let Some(issuer) = options.text("issuer") else {
        let Some(file) = file else { return Ok(None) };
        return Ok(Some(Arc::new(content::tokens::read(site, file.as_ref()).await?)));
    };
    if file.is_some() {
        return Err("users are known by CONTENT_TOKENS or by the tokens of an issuer: set one of them".into());
    }
    let resource = match (options.text("resource"), options.addr) {
        (Some(resource), _) => resource.to_owned(),
        (None, Some(addr)) if addr.port() != 0 => format!("http://{addr}{path}"),
        _ => return Err("an issuer needs --resource, or --addr with a port".into()),
    };
    Ok(Some(Arc::new(content::issuer::resource_server(site, &resource, issuer)?)))
}

async fn serve_http(registry: Registry, site: Site, options: ServeOptions) -> Result<(), ServeError> {
    check_bucket().await;
    let mut http = tool_http::Options::new();
    if let Some(authenticator) = authenticator(&site, &options, "").await? {
        http = http.authenticator(authenticator);
    }
    let mut http = tool_http::ServerOptions::from(http);
    if let Some(host) = options.text("host") {
        http = http.allow_host(host);
    }
    options.run(tool_http::Server::new(registry).options(http)).await
}

async fn serve_mcp(
    registry: Registry,
    site: Site,
    updates: Updates,
    shared: Option<Shared>,
    options: ServeOptions,
) -> Result<(), ServeError> {
    let surfaces = options.choice("surfaces").map(str::parse::<Surfaces>).transpose()?.unwrap_or_default();
    let mut server = tool_mcp::Server::new(registry)
        .surfaces(surfaces)
        .updates(&updates)
        .instructions(
            "The website of a museum. `find_nodes` finds pages; `explain_component_kinds` tells what a page is built of.",
        );
    if let Some(Shared { changes, sessions }) = shared {
        tokio::spawn(updates.follow(changes.listen()));
        server = server.sessions(sessions);
    }
    if options.addr.is_some() {
        check_bucket().await;
        if let Some(authenticator) = authenticator(&site, &options, "/mcp").await? {
            server = server.authenticator(authenticator);
        }
        if let Some(host) = options.text("host") {
            server = server.allowed_hosts(["localhost", "127.0.0.1", "[::1]", host]);
        }
    }
    options.run(server).await
}
