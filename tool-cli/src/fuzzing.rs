//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use std::collections::HashSet;
use std::ffi::OsString;

use serde_json::Value;
use tool_core::ToolDefinition;

use crate::app::App;
use crate::arguments::{self, value};
use crate::cli::{self, Inputs};
#[cfg(feature = "install")]
use crate::install::{
    self,
    client::Client,
    entry::{Edit, Entry},
};
use crate::streams::Streams;
use crate::yaml;
use crate::{error, identity, run};

/// A call that a command line asks for.
#[derive(Debug, PartialEq)]
pub struct Call {
    /// The command: `run` or `validate`.
    pub command: String,
    /// The name of the tool.
    pub tool: String,
    /// Whether the call is only shown.
    pub dry_run: bool,
    /// Whether the call is confirmed.
    pub yes: bool,
    /// The JSON of the arguments; `None` if a template of them is asked for.
    pub arguments: Option<String>,
}

/// Reads a command line, without the name of the program. Returns the call that it asks for; `None` if it is refused or asks for
/// something else. Nothing is called. Standard input is empty.
pub fn call(app: &App, words: &[&str]) -> Option<Call> {
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    let named = tool_core::private::block_on(app.tool_named(&words));
    let inputs = named.as_ref().map(Inputs::of);
    let matches = cli::parse(app, 0, inputs.as_ref(), &words).ok()?;
    let (command, matches) = matches.subcommand()?;
    if command != "run" && command != "validate" {
        return None;
    }
    let registry = tool_core::private::block_on(identity::registry(app, matches)).ok()?;
    let tool = error::find_tool(&registry, cli::name(matches)).ok()?;
    let inputs = run::inputs_of(tool, inputs.as_ref());
    let mut arguments = None;
    if !cli::flag(matches, "skeleton") {
        let mut streams = Streams::new(std::io::empty(), std::io::sink(), std::io::sink());
        let text = arguments::gather(&inputs, matches, &mut streams).ok()?;
        arguments = Some(String::from_utf8_lossy(&text).into_owned());
    }
    let (dry_run, yes) = (cli::flag(matches, "dry-run"), cli::flag(matches, "yes"));
    Some(Call { command: command.to_owned(), tool: tool.name().to_owned(), dry_run, yes, arguments })
}

/// Reads one `key=value` or `key:=json` of a tool. Returns the key and the JSON text of the value; `None` if it is refused.
pub fn assignment(tool: &ToolDefinition, pair: &str) -> Option<(String, String)> {
    let (key, value) = value::assignment(tool, pair, &HashSet::new()).ok()?;
    Some((key, value.get().to_owned()))
}

/// Returns a value as YAML.
pub fn yaml(value: &Value) -> String {
    yaml::text(value)
}

/// Returns the names of the MCP clients whose configuration files are edited.
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
