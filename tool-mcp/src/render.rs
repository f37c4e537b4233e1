//! Calls, tools and stored results as MCP has them.

pub(crate) mod call_result;
pub(crate) mod read_error;
pub(crate) mod resource_contents;
pub(crate) mod stored_result;
#[cfg(feature = "tasks")]
pub(crate) mod task;
pub(crate) mod tool_page;
pub(crate) mod ui_page;
