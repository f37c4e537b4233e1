//! How clients find the tools.

/// How clients find the tools.
///
/// ```
/// use tool_mcp::{Discovery, Server};
///
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(registry).discovery(Discovery::TwoStep);
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Discovery {
    /// `tools/list` lists them all.
    #[default]
    Direct,
    /// `tools/list` has three tools with which a model looks for the others, reads about the one that it wants, and calls
    /// it: `list_available_tools`, `list_tool_details`, `call_tool`. A registry of thousands of tools then takes no more
    /// of a model's attention than one of three.
    ///
    /// | tool | arguments | result |
    /// |---|---|---|
    /// | `list_available_tools` | `detailed?`, `filter_by_server?`, `search?`, `page?` | rows of `server`, `tool`, `description`, `inputSchema?`, the best first, or by name; each page under 4 KB |
    /// | `list_tool_details` | `server`, `tool_name` | `name`, `description`, `inputSchema`, `server` |
    /// | `call_tool` | `server`, `tool_name`, `arguments` | what the tool returns |
    ///
    /// A server is the provider that a tool came from, where there are [several](tool_core::provider::Providers), and else this one.
    /// Without a `search`, tools stand in the order of their providers; one that is named `{server}__{tool}` is `{tool}` here.
    /// Servers that are known and not there are listed beside the rows, as `unavailable` with a reason.
    TwoStep,
}

/// The names of the three tools of [`Discovery::TwoStep`].
pub(crate) const SEARCH_TOOLS: [&str; 3] = ["list_available_tools", "list_tool_details", "call_tool"];
