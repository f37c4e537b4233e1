//! How clients find the tools.

/// How clients find the tools.
///
/// ```
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).discovery(tool_mcp::Discovery::TwoStep);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Discovery {
    /// `tools/list` lists all tools.
    #[default]
    Direct,
    /// `tools/list` lists three tools with which a model searches for the others, reads their details, and calls them:
    /// `list_available_tools`, `list_tool_details`, `call_tool`. Thousands of tools then take no more context than three.
    ///
    /// | tool | arguments | result |
    /// |---|---|---|
    /// | `list_available_tools` | `detailed?`, `filter_by_server?`, `search?`, `page?` | rows of `server`, `tool`, `description`, `inputSchema?`, the best first, or by name; each page under 4 KB |
    /// | `list_tool_details` | `server`, `tool_name` | `name`, `description`, `inputSchema`, `server` |
    /// | `call_tool` | `server`, `tool_name`, `arguments` | the result of the tool |
    ///
    /// A `server` is the provider of a tool if there are [several](tool_core::provider::Providers), and otherwise this server.
    /// Without a `search`, tools are in the order of their providers; `{server}__{tool}` is listed as `{tool}`. Known servers
    /// that are not available are listed beside the rows, as `unavailable` with a reason.
    TwoStep,
}

/// The names of the three tools of [`Discovery::TwoStep`].
pub(crate) const SEARCH_TOOLS: [&str; 3] = ["list_available_tools", "list_tool_details", "call_tool"];
