//! The scripts that shells load.

use clap::ArgMatches;

use crate::app::App;
use crate::complete::COMMAND;
use crate::stop::Stop;
use crate::streams::Streams;

/// Prints the script for a shell.
pub(crate) fn script(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), Stop> {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    let template = match shell {
        "bash" => include_str!("script/bash.txt"),
        "zsh" => include_str!("script/zsh.txt"),
        "fish" => include_str!("script/fish.txt"),
        _ => include_str!("script/powershell.txt"),
    };
    let (name, program) = (name(app), program(app));
    let quoted = if shell == "powershell" { quoted_for_powershell } else { quoted };
    let page = template
        .replace("@FUNCTION@", &function(&name))
        .replace("@PLAIN@", &plain(&name))
        .replace("@NAME@", &quoted(&name))
        .replace("@PROGRAM@", &quoted(&program))
        .replace("@COMMAND@", COMMAND);
    Ok(streams.print(&page)?)
}

/// What is typed to call the program.
fn name(app: &App) -> String {
    let called = app.called.as_ref().map(std::path::Path::new);
    let file = called.and_then(|path| path.file_name()).and_then(|name| name.to_str());
    file.unwrap_or(&app.name).to_owned()
}

/// What the script calls. A program that is found by its name is called so; one that was called by its place is called
/// there, since a completion must not run whatever lies in the current folder.
fn program(app: &App) -> String {
    let called = app.called.as_ref().map(std::path::Path::new).filter(|path| path.components().count() > 1);
    let place = called.and_then(|path| std::path::absolute(path).ok());
    place.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| name(app))
}

/// A name of a function in any shell.
fn function(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A name for a comment, in which it cannot end the line.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' }).collect()
}

/// A word that means nothing but itself to a POSIX shell, to zsh and to fish.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\\', "\\\\").replace('\'', "'\\''"))
}

fn quoted_for_powershell(word: &str) -> String {
    format!("'{}'", word.replace('\'', "''"))
}
