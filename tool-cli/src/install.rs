//! `serve NAME --install CLIENT`: the entry of a server in the configuration of an MCP client.

pub(crate) mod client;
mod config_file;
pub(crate) mod entry;
pub(crate) mod error;
mod json;
mod toml;

use std::path::PathBuf;
use std::{env, fs};

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::app::App;
use crate::atomic_file::Access;
use crate::cli;
use crate::error::CliError;
use crate::install::client::{Client, Folders, Syntax};
use crate::install::config_file::ConfigFile;
use crate::install::entry::{Edit, EditError, Entry};
use crate::install::error::InstallError;
use crate::serve::Server;
use crate::streams::Streams;

/// Returns the client that the options of `serve` name.
pub(crate) fn client(matches: &ArgMatches) -> Option<Client> {
    cli::one(matches.subcommand()?.1, "install").copied()
}

/// Prints the entry of a server, or writes it to the configuration of the client with `--yes`.
pub(crate) fn install(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    app.registry.check()?;
    let Some(client) = client(matches) else { return Ok(()) };
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let Some((_, server)) = app.servers.iter().find(|(other, _)| other == name) else { return Ok(()) };
    let entry = Entry {
        name: entry::name(&app.name),
        command: current_program()?,
        args: arguments(name, server, matches),
        has_type: client.has_type(),
    };
    let is_project = matches.get_flag("project");
    let path = path(client, is_project)?;
    if !matches.get_flag("yes") {
        let text = match edit(client, "", &entry, false) {
            Ok(Edit::Added(text)) => text,
            // The entry of an empty file is always new.
            _ => String::new(),
        };
        streams.print(&text)?;
        streams.notice(&format!(
            "this goes into `{}`; add `--yes` to write it there, nothing has been written",
            path.display()
        ));
        return Ok(());
    }
    let file = ConfigFile::open(&path)?;
    let edited = edit(client, file.text()?, &entry, matches.get_flag("replace"));
    let (verb, text) = match edited.map_err(|error| InstallError::Edit { path: path.clone(), error })? {
        Edit::Unchanged => {
            streams.notice(&format!("`{}` has the entry `{}` already", path.display(), entry.name));
            return Ok(());
        }
        Edit::Added(text) => ("added", text),
        Edit::Replaced(text) => ("replaced", text),
    };
    // The configuration of a user may hold secrets, that of a project is shared.
    let access = if is_project { Access::Default } else { Access::Private };
    let backup = file.replace(&text, access)?;
    streams.notice(&format!("{verb} the entry `{}` in `{}`", entry.name, path.display()));
    if let Some(backup) = backup {
        streams.notice(&format!("the previous file is `{}`", backup.display()));
    }
    Ok(())
}

/// Returns what becomes of the configuration file of a client that has this text.
pub(crate) fn edit(client: Client, text: &str, entry: &Entry, replace: bool) -> Result<Edit, EditError> {
    let section = client.section();
    match client.syntax() {
        Syntax::Toml => toml::edit(text, section, entry, replace),
        syntax => json::edit(text, syntax, section, entry, replace),
    }
}

fn path(client: Client, is_project: bool) -> Result<PathBuf, InstallError> {
    if !is_project {
        return Folders::from_environment().user_file(client).ok_or(InstallError::NoUserFolder);
    }
    let project = env::current_dir().map_err(InstallError::CurrentFolder)?;
    client::project_file(client, &project).ok_or(InstallError::NoProjectFile(client))
}

/// Returns the absolute path of this program.
fn current_program() -> Result<String, InstallError> {
    let path = env::current_exe().map_err(InstallError::Program)?;
    // One that was deleted while it runs has a path that leads nowhere.
    fs::metadata(&path).map_err(InstallError::Program)?;
    path.into_os_string().into_string().map_err(|path| InstallError::ProgramNotUtf8(path.into()))
}

/// Returns the arguments that start the server as on this command line, over stdio.
fn arguments(name: &str, server: &Server, matches: &ArgMatches) -> Vec<String> {
    let mut arguments = vec!["serve".to_owned(), name.to_owned()];
    if server.allows_execute && matches.get_flag("allow-execute") {
        arguments.push("--allow-execute".to_owned());
    }
    let choices = server.choices.iter().map(|choice| ("choice", &choice.name));
    let texts = server.texts.iter().map(|text| ("text", &text.name));
    for (kind, option) in choices.chain(texts) {
        let id = format!("{kind}:{option}");
        if matches.value_source(&id) == Some(ValueSource::CommandLine)
            && let Some(value) = matches.get_one::<String>(&id)
        {
            arguments.push(format!("--{option}={value}"));
        }
    }
    arguments
}
