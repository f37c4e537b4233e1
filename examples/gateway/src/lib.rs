#![doc = include_str!("../README.md")]

mod settings;

use tool_core::provider::{IntoToolsProvider, Provider};
use tool_core::results::ResultStore;
use tool_core::{BuildErrors, Principal, Registry};
use tool_mcp::upstream::Upstreams;
use tool_mcp::{Changes, Discovery, Server};

pub use settings::{Settings, SettingsError, results_from_env};

/// Returns the tools of all servers. With a store, large results are stored there, and the tool `read_result` reads them.
///
/// # Errors
///
/// When the registry with `read_result` cannot be built.
///
/// ```
/// use gateway::{Settings, tools};
/// use tool_core::results::ResultStore;
///
/// let upstreams = Settings::parse(r#"{"mcpServers": {}}"#, None)?.upstreams(&tool_mcp::Changes::new())?;
/// let provider = tools(&upstreams, Some(&ResultStore::memory()))?;
/// assert!(provider.results().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tools(upstreams: &Upstreams, results: Option<&ResultStore>) -> Result<Provider, BuildErrors> {
    let Some(results) = results else { return Ok(upstreams.clone().into_provider()) };
    let reader = Registry::builder().allow_empty().storing(results.clone()).build()?;
    let upstreams = upstreams.clone().into_provider();
    let found = move |caller: Principal| {
        let upstreams = upstreams.clone();
        async move { upstreams.tools(&caller).await }
    };
    Ok(results.wrap(reader.providing(found)))
}

/// Creates the MCP server: four tools that find, describe and call the tools of all servers. [`Discovery::Direct`] lists all
/// tools instead, under names such as `weather__get_weather`.
///
/// ```
/// use gateway::{Settings, server};
/// use tool_mcp::{Changes, Discovery};
///
/// let changes = Changes::new();
/// let upstreams = Settings::parse(r#"{"mcpServers": {"weather": {"command": "weather", "args": ["serve", "mcp"]}}}"#, None)?
///     .upstreams(&changes)?;
/// let server = server(upstreams, &changes, Discovery::TwoStep);
/// # server.into_axum_router().unwrap();
/// # Ok::<(), gateway::SettingsError>(())
/// ```
pub fn server<Marker>(
    tools: impl IntoToolsProvider<Marker>,
    changes: &Changes,
    discovery: Discovery,
) -> Server {
    Server::new(tools)
        .name("gateway")
        .title("Gateway")
        .version(env!("CARGO_PKG_VERSION"))
        .discovery(discovery)
        .changes(changes)
        .instructions(match discovery {
            Discovery::TwoStep => {
                "The tools of several servers. `list_available_tools` finds one, `list_tool_details` says what it takes, \
                 `call_read_only_tool` calls it if it modifies nothing, `call_tool` calls any. `read_result` reads what was too large to be shown."
            }
            _ => "The tools of several servers, each named after its server.",
        })
}
