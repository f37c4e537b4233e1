//! The completion scripts of shells.

use clap::ArgMatches;

use crate::app::App;
use crate::cli::completion::COMMAND;
use crate::error::CliError;
use crate::streams::Streams;

/// Prints the script for a shell.
pub(crate) fn script(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    let template = match shell {
        "bash" => include_str!("script/bash.txt"),
        "zsh" => include_str!("script/zsh.txt"),
        "fish" => include_str!("script/fish.txt"),
        _ => include_str!("script/powershell.txt"),
    };
    let (name, program) = (name(app), program(app));
    let values = [
        ("@FUNCTION@", function(&name)),
        ("@PLAIN@", comment_text(&name)),
        ("@NAME@", quoted(shell, &name)),
        ("@PROGRAM@", quoted(shell, &program)),
        ("@COMMAND@", COMMAND.to_owned()),
    ];
    Ok(streams.print(&render(template, &values))?)
}

/// Fills in a template. Values are not expanded again: a program may be called `@NAME@`.
fn render(template: &str, values: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('@') {
        page.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = values.iter().find(|(variable, _)| rest.starts_with(variable));
        let (variable, text) = value.map_or(("@", "@"), |(variable, text)| (variable, text));
        page.push_str(text);
        rest = &rest[variable.len()..];
    }
    page.push_str(rest);
    page
}

/// Returns the command name to complete.
fn name(app: &App) -> String {
    let path = app.argv0.as_ref().map(std::path::Path::new);
    let file = path.and_then(|path| path.file_name()).and_then(|name| name.to_str());
    file.unwrap_or(&app.name).to_owned()
}

/// Returns the command that the script runs: a name if the program was called by name, otherwise its path, because completion
/// must not run a program from the current directory.
fn program(app: &App) -> String {
    let path = app.argv0.as_ref().map(std::path::Path::new).filter(|path| path.components().count() > 1);
    let absolute = path.and_then(|path| std::path::absolute(path).ok());
    absolute.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| name(app))
}

/// Returns a function name that is valid in all shells.
fn function(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Returns a name that is safe in a comment.
fn comment_text(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' }).collect()
}

/// Quotes a word for the shell.
fn quoted(shell: &str, word: &str) -> String {
    let inside = match shell {
        // Typographic quotes end a text, too.
        "powershell" => {
            let quotes = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];
            quotes
                .iter()
                .fold(word.to_owned(), |word, quote| word.replace(*quote, &quote.to_string().repeat(2)))
        }
        // Only in fish does a backslash escape between single quotes.
        "fish" => word.replace('\\', r"\\").replace('\'', r"\'"),
        _ => word.replace('\'', r"'\''"),
    };
    format!("'{inside}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_words_for_each_shell() {
        for (shell, expected) in [
            ("bash", r"'it'\''s a\b'"),
            ("zsh", r"'it'\''s a\b'"),
            ("fish", r"'it\'s a\\b'"),
            ("powershell", r"'it''s a\b'"),
        ] {
            assert_eq!(quoted(shell, r"it's a\b"), expected, "{shell}");
        }
        assert_eq!(quoted("powershell", "a\u{2019}; calc"), "'a\u{2019}\u{2019}; calc'");
    }

    #[test]
    fn does_not_expand_inserted_values() {
        let values = [("@NAME@", "@PROGRAM@".to_owned()), ("@PROGRAM@", "@NAME@".to_owned())];
        assert_eq!(render("a@NAME@b ${x[@]} @PROGRAM@ @", &values), "a@PROGRAM@b ${x[@]} @NAME@ @");
    }
}
