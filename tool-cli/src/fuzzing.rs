//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::ToolDefinition;

use crate::arguments::value;
#[cfg(feature = "install")]
use crate::install::{
    self,
    client::Client,
    entry::{Edit, Entry},
};
use crate::yaml;

/// Reads one `key=value` or `key:=json` of a tool. Returns the key and the JSON text of the value; `None` if it is refused.
pub fn assignment(tool: &ToolDefinition, pair: &str) -> Option<(String, String)> {
    let (key, value) = value::assignment(tool, pair, &HashSet::new()).ok()?;
    Some((key, value.get().to_owned()))
}

/// Writes a value as YAML.
pub fn yaml(value: &Value) -> String {
    yaml::text(value)
}

/// The names of the MCP clients whose configuration files are edited.
#[cfg(feature = "install")]
pub fn clients() -> [&'static str; 5] {
    Client::ALL.map(Client::as_str)
}

/// Adds a server to the configuration of a client, or replaces it. Returns the new text; `None` if the file is left as it is.
#[cfg(feature = "install")]
pub fn install(client: usize, text: &str, command: &str, args: &[&str], replace: bool) -> Option<String> {
    let client = Client::ALL[client % Client::ALL.len()];
    let args = args.iter().map(ToString::to_string).collect();
    let entry =
        Entry { name: "fuzz".to_owned(), command: command.to_owned(), args, has_type: client.has_type() };
    match install::edit(client, text, &entry, replace).ok()? {
        Edit::Unchanged => None,
        Edit::Added(text) | Edit::Replaced(text) => Some(text),
    }
}
