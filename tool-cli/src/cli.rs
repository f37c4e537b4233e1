//! The commands, their options and their help, as clap commands.

mod commands;
pub(crate) mod completion;
mod duration;
mod inputs;
#[cfg(feature = "install")]
mod install;
mod matches;
mod options;
mod publish;
mod task;
mod tool_name;

use std::ffi::{OsStr, OsString};
use std::iter;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub(crate) use inputs::{Flag, FlagKind, Inputs, values};
pub(crate) use matches::{Format, color, data_format, flag, format, many, name, one, verbosity};
pub(crate) use tool_name::tool_named;

use crate::app::App;
use crate::style::neutral;

/// Parses a command line.
///
/// Most command lines have no options, and building those is most of the work. So the command is built without them first;
/// errors are reported by the full command.
pub(crate) fn parse(
    app: &App,
    width: u16,
    inputs: Option<&Inputs<'_>>,
    words: &[OsString],
) -> Result<ArgMatches, clap::Error> {
    let line = || iter::once(OsStr::new(&app.name)).chain(words.iter().map(OsString::as_os_str));
    if let Some(program) = command_without_options(app, words)
        && let Ok(matches) = program.try_get_matches_from(line())
    {
        return Ok(matches);
    }
    command_for(app, width, inputs, words).try_get_matches_from(line())
}

/// Returns the command without options, if all words are plain and the first is a command with arguments.
fn command_without_options(app: &App, words: &[OsString]) -> Option<Command> {
    if words.iter().any(|word| word.as_encoded_bytes().starts_with(b"-")) {
        return None;
    }
    let command = commands::arguments_only(words.first()?.to_str()?)?;
    Some(Command::new(app.name.clone()).subcommand(command))
}

/// Builds all commands of an application. `run` and `validate` have a flag for each input of the given tool only, so the cost
/// does not depend on the number of tools.
pub(crate) fn command(app: &App, width: u16, inputs: Option<&Inputs<'_>>) -> Command {
    let commands = commands::all(app, inputs).map(|(info, options)| options(info.command()));
    root(app, width).version(version(app)).subcommands(commands)
}

/// Builds the commands for these words. If the first word is a command, the others are left out. Otherwise each command has its
/// name and description, and only those among the words have options. Building all options would dominate a short command.
pub(crate) fn command_for(app: &App, width: u16, inputs: Option<&Inputs<'_>>, words: &[OsString]) -> Command {
    let asks_for_version = words.iter().any(|word| {
        word.to_str().is_some_and(|word| word.starts_with('-') && (word.contains('V') || word == "--version"))
    });
    // A placeholder, so that the help lists the option.
    let version = if asks_for_version { version(app) } else { "unread".to_owned() };
    let program = root(app, width).version(version);
    let first = words.first().and_then(|word| word.to_str());
    if let Some((info, options)) = commands::all(app, inputs).find(|(info, _)| first == Some(info.name())) {
        return program.subcommand(options(info.command()));
    }
    program.subcommands(commands::all(app, inputs).map(|(info, options)| {
        let is_named = words.iter().any(|word| word == info.name());
        if is_named { options(info.command()) } else { info.command() }
    }))
}

fn root(app: &App, width: u16) -> Command {
    let program = Command::new(neutral(&app.name).into_owned())
        .term_width(width.into())
        .args(globals())
        .subcommand_required(true)
        .arg_required_else_help(true);
    match &app.about {
        Some(about) => program.about(neutral(about).into_owned()),
        None => program,
    }
}

fn version(app: &App) -> String {
    let tools = match app.registry.tools().len() {
        1 => "(1 tool)".to_owned(),
        count => format!("({count} tools)"),
    };
    app.version.as_ref().map_or_else(|| tools.clone(), |version| format!("{version} {tools}"))
}

fn globals() -> [Arg; 3] {
    let color = Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .help("When to use colors")
        .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
        .default_value("auto");
    let quiet = Arg::new("quiet")
        .long("quiet")
        .short('q')
        .help("Print only results and errors")
        .conflicts_with("verbose")
        .action(ArgAction::SetTrue);
    let verbose = Arg::new("verbose")
        .long("verbose")
        .short('v')
        .help("Print more to stderr: the call id, the duration, repaired arguments")
        .action(ArgAction::SetTrue);
    [color, quiet, verbose].map(|global| global.global(true).help_heading("Global options"))
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};
    use tool_core::Registry;

    use super::{commands, parse};
    use crate::app::App;

    /// Returns the positional arguments of a command.
    fn arguments(command: &Command) -> Vec<String> {
        command.get_positionals().map(|argument: &Arg| format!("{argument:?}")).collect()
    }

    #[test]
    fn takes_the_same_arguments_without_options() {
        let app = App::new("demo", Registry::builder().allow_empty().build().unwrap());
        let mut names = Vec::new();
        for command in super::command(&app, 0, None).get_subcommands() {
            let Some(without) = commands::arguments_only(command.get_name()) else { continue };
            assert_eq!(arguments(&without), arguments(command), "{}", command.get_name());
            assert_eq!(without.get_opts().count(), 0);
            names.push(command.get_name().to_owned());
        }
        assert_eq!(names, ["list", "search", "info", "schema", "validate", "run"]);
    }

    #[test]
    fn reports_errors_with_the_full_command() {
        let app = App::new("demo", Registry::builder().allow_empty().build().unwrap());
        let error = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(Into::into).collect();
            parse(&app, 0, None, &words).unwrap_err().to_string()
        };
        for (words, usage) in [
            (&["list", "all"][..], "Usage: demo list [OPTIONS]"),
            (&["info"], "Usage: demo info <NAME> [PATH]"),
            (&["run"], "Usage: demo run <NAME> [ARGS]..."),
            (&["lsit"], "some similar subcommands exist: 'validate', 'lint', 'list'"),
        ] {
            assert!(error(words).contains(usage), "{words:?}: {}", error(words));
        }
    }
}
