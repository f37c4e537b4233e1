//! Calls, tools and stored results in the shapes of MCP.

pub(crate) mod call_result;
pub(crate) mod resource_contents;
pub(crate) mod stored_result;
pub(crate) mod tool_page;
