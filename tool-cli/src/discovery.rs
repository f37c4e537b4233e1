//! Tools that are looked up by the commands that need them.

use std::ffi::OsString;

use clap::ArgMatches;

use crate::app::App;
use crate::cli;

/// The commands about one tool.
const ABOUT_ONE: [&str; 4] = ["info", "schema", "validate", "run"];

/// The commands about all tools.
const ABOUT_ALL: [&str; 6] = ["list", "search", "openapi", "lint", "lock", "publish"];

/// The tools that a command needs.
#[derive(Debug, PartialEq)]
pub(crate) enum Needed {
    Nothing,
    One(String),
    All,
}

/// Returns what this command line needs. Help and wrong usage need no tools, except that the options of `run` and `validate` are
/// those of their tool.
pub(crate) fn needed(app: &App, width: u16, arguments: &[OsString]) -> Needed {
    match cli::parse(app, width, None, arguments) {
        Ok(matches) => needed_by(&matches, arguments),
        Err(_) => {
            let program = cli::command_for(app, width, None, arguments);
            let tool = cli::tool_named(&program, arguments, |_| true);
            tool.map_or(Needed::Nothing, |tool| Needed::One(tool.to_owned()))
        }
    }
}

fn needed_by(matches: &ArgMatches, arguments: &[OsString]) -> Needed {
    let is_about_tools = |word: &str| ABOUT_ONE.contains(&word) || ABOUT_ALL.contains(&word);
    match matches.subcommand() {
        Some((command, matches)) if ABOUT_ONE.contains(&command) => {
            Needed::One(cli::name(matches).to_owned())
        }
        Some((command, _)) if ABOUT_ALL.contains(&command) => Needed::All,
        // The name to complete is not known yet. Bash passes its line as one argument.
        Some((cli::completion::COMMAND, _))
            if arguments
                .iter()
                .filter_map(|word| word.to_str())
                .flat_map(str::split_whitespace)
                .any(is_about_tools) =>
        {
            Needed::All
        }
        _ => Needed::Nothing,
    }
}
