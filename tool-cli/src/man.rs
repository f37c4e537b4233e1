//! `man`: manual pages.

use std::fs;
use std::path::Path;

use clap::{ArgMatches, Command};
use clap_mangen::Man;

use crate::app::App;
use crate::atomic_file::{self, Access};
use crate::cli;
use crate::error::CliError;
use crate::streams::Streams;

/// The width for which help is laid out; a page has its own.
const WIDTH: u16 = 100;

/// Prints a page, or writes all of them.
pub(crate) fn man(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let mut program = cli::command(app, WIDTH, None).mut_subcommands(|command| match &app.version {
        Some(version) => command.version(version.clone()).disable_version_flag(true),
        None => command,
    });
    // Adds the global options to each command, and the name of the program before its name.
    program.build();
    if let Some(folder) = matches.get_one::<std::path::PathBuf>("dir") {
        return write_all(&program, folder);
    }
    let command = match matches.get_one::<String>("command") {
        None => &program,
        Some(name) => program
            .find_subcommand(name)
            .filter(|command| !command.is_hide_set())
            .ok_or_else(|| CliError::UnknownCommand(name.clone()))?,
    };
    Ok(streams.print(&page(command)?)?)
}

fn write_all(program: &Command, folder: &Path) -> Result<(), CliError> {
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |error| CliError::WriteFile { path, error }
    };
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    let commands =
        program.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    for command in std::iter::once(program).chain(commands) {
        let path = folder.join(format!("{}.1", title(command)));
        let metadata = fs::metadata(&path).ok();
        atomic_file::write(&path, page(command)?.as_bytes(), Access::of(metadata.as_ref()))
            .map_err(unwritable(&path))?;
    }
    Ok(())
}

fn page(command: &Command) -> Result<String, CliError> {
    let mut page = Vec::new();
    Man::new(command.clone().name(title(command))).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// `demo` or `demo-run`.
fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}
