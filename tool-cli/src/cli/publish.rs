//! The command `publish`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

/// Adds the commands below `publish`.
pub(super) fn publish(command: Command) -> Command {
    let server_json = Command::new("server-json").about("Write `server.json`, for the MCP registry").args([
        bundles(),
        remote(),
        output(Some("server.json")),
        yes(),
    ]);
    let mcpb = Command::new("mcpb")
        .about("Write an MCP bundle with this program, which desktop clients install")
        .args([output(None), yes()]);
    let skill = Command::new("skill")
        .about("Write an agent skill, which explains how to use this program on the command line")
        .args([folder(), yes()]);
    command.subcommand_required(true).arg_required_else_help(true).subcommands([server_json, mcpb, skill])
}

fn bundles() -> Arg {
    Arg::new("mcpb")
        .long("mcpb")
        .value_names(["FILE", "URL"])
        .num_args(2)
        .help("An MCP bundle, and where it can be downloaded; may be repeated")
        .action(ArgAction::Append)
}

fn remote() -> Arg {
    Arg::new("remote")
        .long("remote")
        .value_name("URL")
        .help("Where the server runs over streamable HTTP; may be repeated")
        .action(ArgAction::Append)
}

fn output(default: Option<&'static str>) -> Arg {
    let output =
        Arg::new("output").long("output").short('o').value_name("FILE").value_parser(value_parser!(PathBuf));
    match default {
        Some(default) => output.help("The file to write; `-` prints to stdout").default_value(default),
        None => output.help("The file to write [default: NAME-SYSTEM-PROCESSOR.mcpb]"),
    }
}

fn folder() -> Arg {
    Arg::new("dir")
        .long("dir")
        .value_name("DIR")
        .help("The folder of skills, in which the skill gets a folder of its name")
        .default_value("skills")
        .value_parser(value_parser!(PathBuf))
}

fn yes() -> Arg {
    Arg::new("yes")
        .long("yes")
        .short('y')
        .help("Replace files that exist and differ")
        .action(ArgAction::SetTrue)
}
