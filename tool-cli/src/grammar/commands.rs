//! The commands, one function each.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, value_parser};
use tool_core::LintRule;

use crate::complete::SHELLS;
use crate::grammar::inputs::{self, Inputs};
use crate::grammar::options;
use crate::serve::Server;

const TABLES: [&str; 4] = ["table", "markdown", "json", "yaml"];

pub(super) fn list() -> Command {
    Command::new("list")
        .about("List the tools")
        .args(options::filters())
        .args(options::identity())
        .arg(options::format(["table", "markdown", "json", "yaml", "name"]))
}

pub(super) fn search() -> Command {
    let text = Arg::new("text")
        .value_name("TEXT")
        .help("What the tool should be about")
        .required(true)
        .num_args(1..)
        .action(ArgAction::Append);
    let matching = Arg::new("match")
        .long("match")
        .value_name("WORDS")
        .help("Whether a tool must have any or all of the words")
        .default_value("any")
        .value_parser(PossibleValuesParser::new(["any", "all"]));
    Command::new("search")
        .about("Find tools by what they are about, the best first")
        .args([text, matching])
        .args(options::filters())
        .args(options::identity())
        .arg(options::format(["table", "markdown", "json", "yaml", "name"]))
}

pub(super) fn info() -> Command {
    let path = Arg::new("path")
        .value_name("PATH")
        .help("A part of its inputs: `a.b` a member, `a[]` the items of a list, `a.*` the values of a map");
    let output = Arg::new("output")
        .long("output")
        .help("PATH leads into the output, and not into the inputs")
        .action(ArgAction::SetTrue);
    Command::new("info")
        .about("Tell everything that is declared about a tool, without running it")
        .args([options::name(), path, output])
        .args(options::identity())
        .arg(options::format(TABLES))
}

pub(super) fn schema() -> Command {
    let output =
        Arg::new("output").long("output").help("The schema of its output").action(ArgAction::SetTrue);
    Command::new("schema")
        .about("Print the JSON Schema of a tool's arguments")
        .args([options::name(), output, options::profile()])
        .args(options::identity())
        .arg(options::format(["json", "yaml"]))
}

pub(super) fn validate(program: &str, inputs: Option<&Inputs<'_>>) -> Command {
    let command = Command::new("validate").about("Check arguments for a tool, and run nothing");
    inputs::for_tool(command, program, inputs)
        .next_help_heading(inputs.map(|_| "Options of validate"))
        .arg(options::input_json())
        .arg(options::format(["text", "json", "yaml"]))
        .args(options::identity())
        .next_help_heading(None::<&str>)
        .args([options::name().hide(inputs.is_some()), options::arguments()])
}

pub(super) fn run(program: &str, inputs: Option<&Inputs<'_>>) -> Command {
    let yes = Arg::new("yes")
        .long("yes")
        .short('y')
        .help("Run a destructive tool without asking")
        .action(ArgAction::SetTrue);
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .help("Check everything that can be checked, tell what would be called, and run nothing")
        .action(ArgAction::SetTrue);
    let skeleton = Arg::new("skeleton")
        .long("skeleton")
        .help("Print arguments to fill in, for --input-json, and run nothing")
        .conflicts_with_all(["arguments", "input-json", "dry-run"])
        .action(ArgAction::SetTrue);
    let timeout = Arg::new("timeout")
        .long("timeout")
        .value_name("TIME")
        .help("How long to wait: `500ms`, `30s`, `2m`; a tool that changes something runs to its end")
        .value_parser(crate::invocation::duration);
    let answer = Arg::new("answer")
        .long("answer")
        .value_name("KEY=VALUE")
        .help("The answer to something that the tool asks, by the name of a field; may be repeated")
        .long_help(
            "The answer to something that the tool asks, where nobody sits at a terminal.\n\
             The key is the name of a field, or the key of a question, a dot and the name of a field; `KEY:=JSON` takes \
             JSON. A question is declined with `:no` for its own key. May be repeated.",
        )
        .action(ArgAction::Append);
    let command = Command::new("run").about("Run a tool");
    inputs::for_tool(command, program, inputs)
        .next_help_heading(inputs.map(|_| "Options of run"))
        .args([options::input_json(), answer, yes, dry_run, skeleton, timeout])
        .arg(options::format(["text", "json", "yaml"]))
        .args(options::identity())
        .next_help_heading(None::<&str>)
        .args([options::name().hide(inputs.is_some()), options::arguments()])
}

pub(super) fn lint() -> Command {
    let without = Arg::new("without")
        .long("without")
        .value_name("RULE")
        .help("Leave out a rule; may be repeated")
        .action(ArgAction::Append)
        .value_parser(PossibleValuesParser::new(LintRule::ALL.iter().map(|rule| rule.code())));
    Command::new("lint")
        .about("Tell what could be better in the declarations; fails when there is something")
        .arg(without)
        .arg(options::format(["text", "json", "yaml"]))
}

pub(super) fn lock() -> Command {
    let check = Arg::new("check")
        .long("check")
        .help("Change nothing, and fail when the tools are not as the file has them")
        .action(ArgAction::SetTrue);
    let file = Arg::new("file")
        .long("file")
        .value_name("FILE")
        .help("Where the promises stand; `-` prints them")
        .default_value("tools.lock")
        .value_parser(value_parser!(PathBuf));
    Command::new("lock")
        .about("Record what every tool promises, and tell what changed since it was recorded")
        .args([check, file])
        .arg(options::format(["text", "json", "yaml"]))
}

pub(super) fn serve(servers: &[(String, Server)]) -> Command {
    let command = |(name, server): &(String, Server)| {
        let mut addr = Arg::new("addr")
            .long("addr")
            .value_name("IP:PORT")
            .help("Where to listen; port 0 takes a free one")
            .value_parser(value_parser!(SocketAddr));
        if let Some(default) = server.addr {
            addr = addr.default_value(default.to_string());
        }
        let allow = Arg::new("allow-execute")
            .long("allow-execute")
            .help("Let clients call the tools, and not only describe them")
            .action(ArgAction::SetTrue);
        let choices = server.choices.iter().map(|choice| {
            Arg::new(format!("choice:{}", choice.name))
                .long(choice.name.clone())
                .value_name(choice.name.to_uppercase())
                .help(choice.about.clone())
                .default_value(choice.values.first().cloned().unwrap_or_default())
                .value_parser(PossibleValuesParser::new(choice.values.clone()))
        });
        let about = server.about.clone().unwrap_or_else(|| format!("Serve the tools over {name}"));
        Command::new(name.clone()).about(about).args([addr, allow]).args(choices)
    };
    Command::new("serve")
        .about("Serve the tools")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(servers.iter().map(command))
}

pub(super) fn completions() -> Command {
    let shell = Arg::new("shell")
        .value_name("SHELL")
        .required(true)
        .help("For which shell")
        .value_parser(PossibleValuesParser::new(SHELLS));
    Command::new("completions")
        .about("Print a script that completes commands, tools, inputs and their values")
        .long_about(
            "Print a script that completes commands, tools, inputs and their values.\n\n\
             bash: source <(PROGRAM completions bash)\n\
             zsh:  source <(PROGRAM completions zsh), after compinit\n\
             fish: PROGRAM completions fish | source\n\
             PowerShell: PROGRAM completions powershell | Out-String | Invoke-Expression",
        )
        .arg(shell)
}

pub(super) fn man() -> Command {
    let command =
        Arg::new("command").value_name("COMMAND").help("The page of a command; of the program unless told");
    let folder = Arg::new("dir")
        .long("dir")
        .value_name("DIR")
        .help("Write the pages of the program and of every command into this folder")
        .conflicts_with("command")
        .value_parser(value_parser!(PathBuf));
    Command::new("man").about("Print a manual page, for `man -l -`").args([command, folder])
}

/// What the scripts of `completions` ask: the words so far, of which the last one is typed now.
pub(super) fn complete() -> Command {
    let shell = Arg::new("shell").required(true).value_parser(PossibleValuesParser::new(SHELLS));
    let words = Arg::new("words").num_args(0..).last(true).action(ArgAction::Append);
    Command::new(crate::complete::COMMAND).hide(true).args([shell, words])
}
