//! The commands, one function each.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, value_parser};
use tool_core::adapter::ListenAddr;
use tool_core::lint::LintRule;

use crate::app::App;
use crate::cli::duration::duration;
use crate::cli::inputs::{self, Inputs};
#[cfg(feature = "install")]
use crate::cli::install;
use crate::cli::{completion, options, publish, task};
use crate::openapi::document::OpenApiDocument;
use crate::serve::Server;

const TABLES: [&str; 4] = ["table", "markdown", "json", "yaml"];

/// The name and the description of a command.
pub(super) struct CommandInfo {
    name: &'static str,
    about: &'static str,
}

impl CommandInfo {
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn command(&self) -> Command {
        let command = Command::new(self.name);
        if self.about.is_empty() { command.hide(true) } else { command.about(self.about) }
    }
}

/// A function that adds the options of a command.
type Options<'a> = Box<dyn Fn(Command) -> Command + 'a>;

/// Returns all commands of an application, in the order of the help.
pub(super) fn all<'a>(
    app: &'a App,
    inputs: Option<&'a Inputs<'a>>,
) -> impl Iterator<Item = (CommandInfo, Options<'a>)> {
    // Boxes of closures without captures are not allocated.
    let commands: [(CommandInfo, Options<'a>); 15] = [
        (LIST, Box::new(list)),
        (SEARCH, Box::new(search)),
        (INFO, Box::new(info)),
        (SCHEMA, Box::new(schema)),
        (OPENAPI, Box::new(move |command| openapi(command, &app.openapi))),
        (VALIDATE, Box::new(move |command| validate(command, &app.name, inputs))),
        (RUN, Box::new(move |command| run(command, app, inputs))),
        (TASK, Box::new(task::task)),
        (LINT, Box::new(lint)),
        (LOCK, Box::new(lock)),
        (SERVE, Box::new(move |command| serve(command, &app.servers))),
        (PUBLISH, Box::new(publish::publish)),
        (COMPLETIONS, Box::new(completion::completions)),
        (MAN, Box::new(man)),
        (COMPLETE, Box::new(completion::complete)),
    ];
    let (serves, has_tasks, has_package) = (!app.servers.is_empty(), app.has_tasks(), app.has_package());
    let has_openapi = !app.openapi.is_empty();
    commands.into_iter().filter(move |(info, _)| match info.name {
        "serve" => serves,
        "task" => has_tasks,
        "publish" => has_package,
        "openapi" => has_openapi,
        _ => true,
    })
}

/// Returns a command with its positional arguments; `None` for one that is rarely used without options.
pub(super) fn arguments_only(name: &str) -> Option<Command> {
    let arguments: Vec<Arg> = match name {
        "list" => Vec::new(),
        "search" => vec![text()],
        "info" => vec![options::name(), path()],
        "schema" => vec![options::name()],
        "validate" | "run" => vec![options::name(), options::arguments()],
        _ => return None,
    };
    Some(Command::new(name.to_owned()).args(arguments))
}

const LIST: CommandInfo = CommandInfo { name: "list", about: "List the tools" };
const SEARCH: CommandInfo =
    CommandInfo { name: "search", about: "Search tools by their texts, best match first" };
const INFO: CommandInfo =
    CommandInfo { name: "info", about: "Show everything that a tool declares, without running it" };
const SCHEMA: CommandInfo =
    CommandInfo { name: "schema", about: "Print the JSON Schema of a tool's arguments" };
const OPENAPI: CommandInfo =
    CommandInfo { name: "openapi", about: "Print the OpenAPI document of the tools over HTTP" };
pub(super) const VALIDATE: CommandInfo =
    CommandInfo { name: "validate", about: "Check arguments for a tool without running it" };
pub(super) const RUN: CommandInfo = CommandInfo { name: "run", about: "Run a tool" };
const TASK: CommandInfo = CommandInfo {
    name: "task",
    about: "List tasks, wait for them, answer, cancel and run them: calls that outlive their command",
};
const LINT: CommandInfo =
    CommandInfo { name: "lint", about: "Suggest improvements to the declarations; fails if there are any" };
const LOCK: CommandInfo = CommandInfo {
    name: "lock",
    about: "Record the interface of every tool, and show what has changed since",
};
const SERVE: CommandInfo = CommandInfo { name: "serve", about: "Serve the tools" };
const PUBLISH: CommandInfo = CommandInfo {
    name: "publish",
    about: "Write the files that registries, clients and agents find the program by",
};
const COMPLETIONS: CommandInfo = CommandInfo {
    name: "completions",
    about: "Print a script that completes commands, tools, inputs and their values",
};
const MAN: CommandInfo = CommandInfo { name: "man", about: "Print a manual page, for `man -l -`" };
const COMPLETE: CommandInfo = CommandInfo { name: completion::COMMAND, about: "" };

fn list(command: Command) -> Command {
    command
        .args(options::filters())
        .args(options::identity())
        .arg(options::format(["table", "markdown", "json", "yaml", "name"]))
}

fn text() -> Arg {
    Arg::new("text")
        .value_name("TEXT")
        .help("The words to search for")
        .required(true)
        .num_args(1..)
        .action(ArgAction::Append)
}

fn search(command: Command) -> Command {
    let matching = Arg::new("match")
        .long("match")
        .value_name("WORDS")
        .help("Whether a tool must match any or all of the words")
        .default_value("any")
        .value_parser(PossibleValuesParser::new(["any", "all"]));
    command
        .args([text(), matching])
        .args(options::filters())
        .args(options::identity())
        .arg(options::format(["table", "markdown", "json", "yaml", "name"]))
}

fn path() -> Arg {
    Arg::new("path")
        .value_name("PATH")
        .help("A part of the inputs: `a.b` for a member, `a[]` for list items, `a.*` for map values")
}

fn info(command: Command) -> Command {
    let output = Arg::new("output")
        .long("output")
        .help("Look up PATH in the output instead of the inputs")
        .action(ArgAction::SetTrue);
    command.args([options::name(), path(), output]).args(options::identity()).arg(options::format(TABLES))
}

fn schema(command: Command) -> Command {
    let output =
        Arg::new("output").long("output").help("Print the schema of the output").action(ArgAction::SetTrue);
    command
        .args([options::name(), output, options::profile()])
        .args(options::identity())
        .arg(options::format(["json", "yaml"]))
}

fn openapi(command: Command, documents: &[OpenApiDocument]) -> Command {
    let versions = documents.iter().map(|document| document.version.clone());
    let version = Arg::new("version")
        .long("version")
        .value_name("VERSION")
        .help("The version of OpenAPI")
        .default_value(documents.first().map(|document| document.version.clone()).unwrap_or_default())
        .value_parser(PossibleValuesParser::new(versions));
    command.arg(version).args(options::identity()).arg(options::format(["json", "yaml"]))
}

pub(super) fn validate(command: Command, program: &str, inputs: Option<&Inputs<'_>>) -> Command {
    inputs::with_tool_inputs(command, program, inputs)
        .next_help_heading(inputs.map(|_| "Options of validate"))
        .arg(options::input_json())
        .arg(options::format(["text", "json", "yaml"]))
        .args(options::identity())
        .next_help_heading(None::<&str>)
        .args([options::name().hide(inputs.is_some()), options::arguments()])
}

pub(super) fn run(command: Command, app: &App, inputs: Option<&Inputs<'_>>) -> Command {
    let yes = Arg::new("yes")
        .long("yes")
        .short('y')
        .help("Run a destructive tool without asking")
        .action(ArgAction::SetTrue);
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .help("Check the call and print it without running the tool")
        .action(ArgAction::SetTrue);
    let skeleton = Arg::new("skeleton")
        .long("skeleton")
        .help("Print a template of the arguments for --input-json without running the tool")
        .conflicts_with_all(["arguments", "input-json", "dry-run"])
        .action(ArgAction::SetTrue);
    let timeout = Arg::new("timeout")
        .long("timeout")
        .value_name("TIME")
        .help("How long to wait: `500ms`, `30s`, `2m`; a modifying tool is allowed to finish")
        .value_parser(duration);
    let answer = Arg::new("answer")
        .long("answer")
        .value_name("KEY=VALUE")
        .help("An answer to a question of the tool, by field name; may be repeated")
        .long_help(
            "An answer to a question of the tool, for use without a terminal.\n\
             The key is the name of a field, or the key of a question, a dot and the name of a field; `KEY:=JSON` takes \
             JSON. A question is declined with `:no` for its own key. May be repeated.",
        )
        .action(ArgAction::Append);
    inputs::with_tool_inputs(command, &app.name, inputs)
        .next_help_heading(inputs.map(|_| "Options of run"))
        .args([options::input_json(), answer, yes, dry_run, skeleton, timeout])
        .args(task::detach(app, inputs))
        .arg(options::format(["text", "json", "yaml"]))
        .args(options::identity())
        .next_help_heading(None::<&str>)
        .args([options::name().hide(inputs.is_some()), options::arguments()])
}

fn lint(command: Command) -> Command {
    let without = Arg::new("without")
        .long("without")
        .value_name("RULE")
        .help("Disable a rule; may be repeated")
        .action(ArgAction::Append)
        .value_parser(PossibleValuesParser::new(LintRule::ALL.iter().map(|rule| rule.code())));
    command.arg(without).arg(options::format(["text", "json", "yaml"]))
}

fn lock(command: Command) -> Command {
    let check = Arg::new("check")
        .long("check")
        .help("Fail if the tools differ from the file, without changing it")
        .action(ArgAction::SetTrue);
    let file = Arg::new("file")
        .long("file")
        .value_name("FILE")
        .help("The lock file; `-` prints to stdout")
        .default_value("tools.lock")
        .value_parser(value_parser!(PathBuf));
    let against = against(
        "With --check, compare with what runs instead: a lock file, or the list of a service; `-` is stdin",
    )
    .requires("check")
    .conflicts_with("file");
    command.args([check, file, against]).arg(options::format(["text", "json", "yaml"]))
}

fn against(help: &'static str) -> Arg {
    Arg::new("against").long("against").value_name("FILE").help(help).value_parser(value_parser!(PathBuf))
}

fn serve(command: Command, servers: &[(String, Server)]) -> Command {
    let of_server = |(name, server): &(String, Server)| {
        let addr = Arg::new("addr")
            .long("addr")
            .value_name("IP:PORT")
            .help("The address to listen on; port 0 selects a free port")
            .value_parser(value_parser!(SocketAddr));
        let addr = match server.listen_addr {
            ListenAddr::Never => None,
            ListenAddr::Optional => Some(addr),
            ListenAddr::Default(default) => Some(addr.default_value(default.to_string())),
        };
        let allow = server.allows_execute.then(|| {
            Arg::new("allow-execute")
                .long("allow-execute")
                .help("Allow clients to call the tools")
                .action(ArgAction::SetTrue)
        });
        let choices = server.choices.iter().map(|choice| {
            Arg::new(format!("choice:{}", choice.name))
                .long(choice.name.clone())
                .value_name(choice.name.to_uppercase())
                .help(choice.about.clone())
                .default_value(choice.values.first().cloned().unwrap_or_default())
                .value_parser(PossibleValuesParser::new(choice.values.clone()))
        });
        let texts = server.texts.iter().map(|text| {
            Arg::new(format!("text:{}", text.name))
                .long(text.name.clone())
                .value_name(text.value_name.clone())
                .help(text.about.clone())
        });
        let about = server.about.clone().unwrap_or_else(|| format!("Serve the tools over {name}"));
        let command =
            Command::new(name.clone()).about(about).args(addr).args(allow).args(choices).args(texts);
        // An option of the server takes its place.
        let is_taken = command.get_arguments().any(|arg| arg.get_long() == Some("against"));
        let against =
            against("Do not start if the tools break callers of this lock file, or list of a service");
        let command = if is_taken { command } else { command.arg(against) };
        #[cfg(feature = "install")]
        let command = install::options(command, server);
        command
    };
    command.subcommand_required(true).arg_required_else_help(true).subcommands(servers.iter().map(of_server))
}

fn man(command: Command) -> Command {
    let page = Arg::new("command")
        .value_name("COMMAND")
        .help("The command to print the page of; by default the program");
    let folder = Arg::new("dir")
        .long("dir")
        .value_name("DIR")
        .help("Write the pages of the program and all commands to this folder")
        .conflicts_with("command")
        .value_parser(value_parser!(PathBuf));
    command.args([page, folder])
}
