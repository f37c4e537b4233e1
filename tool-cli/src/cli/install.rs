//! The options of `serve NAME` that add the server to a client.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, Command};
use tool_core::adapter::ListenAddr;

use crate::install::client::Client;
use crate::serve::Server;

const NAMES: [&str; 4] = ["install", "project", "replace", "yes"];

/// Adds the options, unless the server does not speak MCP or has one of these names itself.
pub(super) fn options(command: Command, server: &Server) -> Command {
    let is_taken =
        command.get_arguments().any(|arg| arg.get_long().is_some_and(|name| NAMES.contains(&name)));
    if !server.speaks_mcp || is_taken {
        return command;
    }
    let install = Arg::new("install")
        .long("install")
        .value_name("CLIENT")
        .help("Print the entry for the configuration of this MCP client instead of serving")
        .value_parser(PossibleValuesParser::new(Client::ALL.map(Client::as_str)).map(|name| {
            // All names in `ALL` can be found.
            Client::ALL.into_iter().find(|client| client.as_str() == name).unwrap_or(Client::ClaudeCode)
        }));
    let install = match server.listen_addr {
        ListenAddr::Optional => install.conflicts_with("addr"),
        ListenAddr::Never | ListenAddr::Default(_) => install,
    };
    let project = switch("project", "Use the configuration of the project in the current folder");
    let replace = switch("replace", "Replace another entry of this name").requires("yes");
    let yes = switch("yes", "Write the entry to the file, with a backup beside it").short('y');
    command.args([install, project, replace, yes].map(|arg| arg.help_heading("Options of --install")))
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).requires("install").action(ArgAction::SetTrue)
}
