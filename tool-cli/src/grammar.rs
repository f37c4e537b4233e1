//! What may be typed: the commands, their options and their help.

use std::net::SocketAddr;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use tool_core::{Operation, Profile};

use crate::app::App;
use crate::serve::Server;

/// The grammar of an application.
pub(crate) fn grammar(app: &App, width: u16) -> Command {
    let tools = match app.registry.tools().len() {
        1 => "(1 tool)".to_owned(),
        count => format!("({count} tools)"),
    };
    let version = app.version.as_ref().map_or_else(|| tools.clone(), |version| format!("{version} {tools}"));
    let colour = Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .help("When to colour")
        .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
        .default_value("auto")
        .global(true);
    let mut grammar = Command::new(app.name.clone())
        .version(version)
        .term_width(width.into())
        .arg(colour)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([list(), info(), run(), validate(), schema()]);
    if let Some(about) = &app.about {
        grammar = grammar.about(about.clone());
    }
    if !app.servers.is_empty() {
        grammar = grammar.subcommand(serve(&app.servers));
    }
    grammar
}

/// What `--color` says, unless that is `auto`.
pub(crate) fn colour(matches: &ArgMatches) -> Option<bool> {
    match matches.get_one::<String>("color")?.as_str() {
        "always" => Some(true),
        "never" => Some(false),
        _ => None,
    }
}

/// Whether the command was asked for JSON.
pub(crate) fn wants_json(matches: &ArgMatches) -> bool {
    let format = matches.try_get_one::<String>("format");
    format.ok().flatten().is_some_and(|format| format == "json")
}

fn list() -> Command {
    let operation = Arg::new("operation")
        .long("operation")
        .value_name("OP")
        .help("Only tools of this operation; may be repeated")
        .action(ArgAction::Append)
        .value_parser(clap::builder::TypedValueParser::map(
            PossibleValuesParser::new(Operation::ALL.map(Operation::as_str)),
            // The names are those of `ALL`, so that each of them parses.
            |name| name.parse::<Operation>().unwrap_or(Operation::Explain),
        ));
    Command::new("list").about("List the tools").arg(operation).arg(format(["table", "json", "name"]))
}

fn info() -> Command {
    Command::new("info")
        .about("Tell everything that is declared about a tool")
        .arg(name())
        .arg(format(["table", "json"]))
}

fn schema() -> Command {
    let output =
        Arg::new("output").long("output").help("The schema of its output").action(ArgAction::SetTrue);
    let profile = Arg::new("profile")
        .long("profile")
        .value_name("P")
        .help("The schema of its arguments as this client or vendor takes it")
        .conflicts_with("output")
        .value_parser(clap::builder::TypedValueParser::map(
            PossibleValuesParser::new(Profile::ALL.map(Profile::as_str)),
            // The names are those of `ALL`, so that each of them parses.
            |name| name.parse::<Profile>().unwrap_or(Profile::Mcp),
        ));
    Command::new("schema")
        .about("Print the JSON Schema of a tool's arguments")
        .arg(name())
        .arg(output)
        .arg(profile)
}

fn validate() -> Command {
    Command::new("validate").about("Check arguments for a tool, and run nothing").args([
        name(),
        arguments(),
        input_json(),
        format(["text", "json"]),
    ])
}

fn run() -> Command {
    let yes = Arg::new("yes")
        .long("yes")
        .short('y')
        .help("Run a destructive tool without asking")
        .action(ArgAction::SetTrue);
    Command::new("run").about("Run a tool").args([
        name(),
        arguments(),
        input_json(),
        yes,
        format(["text", "json"]),
    ])
}

fn name() -> Arg {
    Arg::new("name").value_name("NAME").help("The tool").required(true)
}

fn arguments() -> Arg {
    Arg::new("arguments")
        .value_name("ARGS")
        .help("Inputs: key=value, read by the type of the input, or key:=json")
        .action(ArgAction::Append)
        .num_args(0..)
}

fn input_json() -> Arg {
    Arg::new("input-json")
        .long("input-json")
        .value_name("JSON|@FILE|-")
        .help("Inputs as one JSON object: the text itself, from a file, or from stdin; may be repeated")
        .long_help(
            "Inputs as one JSON object: the text itself, from a file, or from stdin.\n\
             May be repeated and mixed with ARGS: of an input that is given by several sources the last one counts.",
        )
        .action(ArgAction::Append)
}

fn format<const N: usize>(formats: [&'static str; N]) -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .help("How to show the result")
        .default_value(formats[0])
        .value_parser(PossibleValuesParser::new(formats))
}

fn serve(servers: &[(String, Server)]) -> Command {
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
        let about = server.about.clone().unwrap_or_else(|| format!("Serve the tools over {name}"));
        Command::new(name.clone()).about(about).args([addr, allow])
    };
    Command::new("serve")
        .about("Serve the tools")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(servers.iter().map(command))
}
