//! What may be typed: the commands, their options and their help.

mod commands;
mod inputs;
mod named;
mod options;

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub(crate) use inputs::{Flag, FlagKind, Inputs, values};
pub(crate) use named::tool_named;

use crate::app::App;
use crate::page::neutral;
use crate::streams::Loudness;

/// The whole grammar of an application. `run` and `validate` have a flag for each input of the tool that was named, and of
/// no other: with a thousand tools they cost no more than with one.
pub(crate) fn grammar(app: &App, width: u16, inputs: Option<&Inputs<'_>>) -> Command {
    let every = commands::all(app, inputs).map(|(title, options)| options(title.command()));
    root(app, width).version(version(app)).subcommands(every)
}

/// The grammar for a command line of these words. Where the first is a command, nothing is there of the others; elsewhere
/// there are the name of each and what it does, and the options of those that are among the words. Making the options of
/// every command would be most of what a short command takes.
pub(crate) fn grammar_for(app: &App, width: u16, inputs: Option<&Inputs<'_>>, words: &[OsString]) -> Command {
    let asks_for_version = words.iter().any(|word| {
        word.to_str().is_some_and(|word| word.starts_with('-') && (word.contains('V') || word == "--version"))
    });
    // A text that is there, so that help tells of the option.
    let version = if asks_for_version { version(app) } else { "unread".to_owned() };
    let grammar = root(app, width).version(version);
    let first = words.first().and_then(|word| word.to_str());
    if let Some((title, options)) = commands::all(app, inputs).find(|(title, _)| first == Some(title.name()))
    {
        return grammar.subcommand(options(title.command()));
    }
    grammar.subcommands(commands::all(app, inputs).map(|(title, options)| {
        let is_named = words.iter().any(|word| word == title.name());
        if is_named { options(title.command()) } else { title.command() }
    }))
}

fn root(app: &App, width: u16) -> Command {
    let grammar = Command::new(neutral(&app.name).into_owned())
        .term_width(width.into())
        .args(globals())
        .subcommand_required(true)
        .arg_required_else_help(true);
    match &app.about {
        Some(about) => grammar.about(neutral(about).into_owned()),
        None => grammar,
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
    let colour = Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .help("When to colour")
        .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
        .default_value("auto");
    let quiet = Arg::new("quiet")
        .long("quiet")
        .short('q')
        .help("Say nothing beside results and errors")
        .conflicts_with("verbose")
        .action(ArgAction::SetTrue);
    let verbose = Arg::new("verbose")
        .long("verbose")
        .short('v')
        .help("Say more on stderr: which call it was, how long it took, what was repaired")
        .action(ArgAction::SetTrue);
    [colour, quiet, verbose].map(|global| global.global(true).help_heading("Global options"))
}

/// What `--color` says, unless that is `auto`.
pub(crate) fn colour(matches: &ArgMatches) -> Option<bool> {
    match matches.get_one::<String>("color")?.as_str() {
        "always" => Some(true),
        "never" => Some(false),
        _ => None,
    }
}

/// How much should be said on stderr.
pub(crate) fn loudness(matches: &ArgMatches) -> Loudness {
    match (matches.get_flag("quiet"), matches.get_flag("verbose")) {
        (true, _) => Loudness::Quiet,
        (_, true) => Loudness::Verbose,
        _ => Loudness::Normal,
    }
}

/// How a command shows its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Sentences, tables and plain values.
    Text,
    Markdown,
    Json,
    Yaml,
    /// Names alone.
    Name,
}

/// How the command was asked to show its result.
pub(crate) fn format(matches: &ArgMatches) -> Format {
    match matches.try_get_one::<String>("format").ok().flatten().map(String::as_str) {
        Some("markdown") => Format::Markdown,
        Some("json") => Format::Json,
        Some("yaml") => Format::Yaml,
        Some("name") => Format::Name,
        _ => Format::Text,
    }
}

/// The format of whoever asked for data, and so finds a failure as data too.
pub(crate) fn data_asked_for(matches: &ArgMatches) -> Option<Format> {
    let format = format(matches);
    let typed = matches!(format, Format::Json | Format::Yaml)
        && matches.value_source("format") == Some(ValueSource::CommandLine);
    typed.then_some(format)
}

/// The name of the tool.
pub(crate) fn name(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("name").map_or("", String::as_str)
}
