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
    /// `tools/list` lists four tools with which a model searches for the others, reads their details, and calls them:
    /// `list_available_tools`, `list_tool_details`, `call_read_only_tool`, `call_tool`. Thousands of tools then take no more context
    /// than four.
    ///
    /// | tool | arguments | result |
    /// |---|---|---|
    /// | `list_available_tools` | `detailed?`, `filter_by_server?`, `search?`, `page?` | rows of `server`, `tool`, `description`, `readOnly?`, `inputSchema?`, the best first, or by name; each page under 4 KB |
    /// | `list_tool_details` | `server`, `tool_name` | `name`, `description`, `readOnly?`, `inputSchema`, `server` |
    /// | `call_read_only_tool` | `server`, `tool_name`, `arguments` | the result of the tool, which modifies nothing |
    /// | `call_tool` | `server`, `tool_name`, `arguments` | the result of the tool |
    ///
    /// Clients ask a person by the hints of a tool. Those of `call_read_only_tool` say that it modifies nothing, so a client may let
    /// it run without asking; those of `call_tool` are of the most dangerous tool. `readOnly` marks the tools that the first one
    /// calls; it refuses others. What a tool of another server says of itself counts, as it does for a client of that server.
    ///
    /// Tools for [pages](tool_core::ui::UiVisibility::App) alone are left out, and no page is shown: clients see the search tools only.
    ///
    /// A `server` is the provider of a tool if there are [several](tool_core::provider::Providers), and otherwise this server.
    /// Without a `search`, tools are in the order of their providers; `{server}__{tool}` is listed as `{tool}`. Known servers
    /// that are not available are listed beside the rows, as `unavailable` with a reason.
    TwoStep,
}

/// The names of the four tools of [`Discovery::TwoStep`].
pub(crate) const SEARCH_TOOLS: [&str; 4] =
    ["list_available_tools", "list_tool_details", "call_read_only_tool", "call_tool"];
