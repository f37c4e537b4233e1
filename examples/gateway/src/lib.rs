#![doc = include_str!("../README.md")]

mod settings;

use tool_mcp::upstream::Upstreams;
use tool_mcp::{Changes, Discovery, Server};

pub use settings::{Settings, SettingsError};

/// The gateway over MCP: three tools with which a model finds, reads about and calls those of all servers. With
/// [`Discovery::Direct`] they are all listed instead, under names such as `weather__get_weather`.
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
pub fn server(upstreams: Upstreams, changes: &Changes, discovery: Discovery) -> Server {
    Server::new(upstreams)
        .name("gateway")
        .title("Gateway")
        .version(env!("CARGO_PKG_VERSION"))
        .discovery(discovery)
        .changes(changes)
        .instructions(match discovery {
            Discovery::TwoStep => {
                "The tools of several servers. `list_available_tools` finds one, `list_tool_details` says what it takes, \
                 `call_tool` calls it."
            }
            _ => "The tools of several servers, each named after its server.",
        })
}
