//! Finds the tool of a command line before its flags are known.

use std::ffi::OsString;

use clap::{Arg, Command};

/// Returns the name of the tool: the first word after `run` or `validate` that is neither an option nor its value.
///
/// `program` is the command without a tool. An unknown option is probably a flag of the tool, and may take a value: after it, only a
/// word for which `is_tool` is true is the name.
pub(crate) fn tool_named<'w>(
    program: &Command,
    words: &'w [OsString],
    is_tool: impl Fn(&str) -> bool,
) -> Option<&'w str> {
    let mut command = program;
    let mut words = words.iter();
    let mut unknown_before = false;
    while let Some(word) = words.next() {
        let text = word.to_str()?;
        if text == "--" {
            return words.next()?.to_str().filter(|_| takes_tool(command));
        }
        if text.len() > 1 && text.starts_with('-') {
            match takes_next_word(&[program, command], text) {
                Some(takes_value) if takes_value => {
                    words.next();
                }
                Some(_) => {}
                None => unknown_before = true,
            }
            continue;
        }
        if takes_tool(command) {
            if !unknown_before || is_tool(text) {
                return Some(text);
            }
            continue;
        }
        command = command.find_subcommand(text)?;
        if !takes_tool(command) {
            return None;
        }
    }
    None
}

fn takes_tool(command: &Command) -> bool {
    matches!(command.get_name(), "run" | "validate")
}

/// Returns `true` if the next word is the value of this option; `None` if the option is unknown.
fn takes_next_word(commands: &[&Command], text: &str) -> Option<bool> {
    let Some(long) = text.strip_prefix("--") else {
        // No short option takes a value.
        return Some(false);
    };
    let (long, has_value) = long.split_once('=').map_or((long, false), |(long, _)| (long, true));
    if long == "help" {
        return Some(false);
    }
    let find_option =
        |command: &&Command| command.get_opts().find(|arg| arg.get_long() == Some(long)).cloned();
    let arg: Arg = commands.iter().find_map(find_option)?;
    Some(!has_value && arg.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Option<String> {
        let program = Command::new("demo")
            .arg(Arg::new("color").long("color"))
            .arg(Arg::new("quiet").long("quiet").action(clap::ArgAction::SetTrue))
            .subcommand(Command::new("run").arg(Arg::new("format").long("format")))
            .subcommand(Command::new("list"));
        let words: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
        tool_named(&program, &words, |name| name == "add").map(str::to_owned)
    }

    #[test]
    fn takes_the_first_word_after_the_command() {
        assert_eq!(named("run add a=1").as_deref(), Some("add"));
        assert_eq!(named("--color never --quiet run -y --format json add").as_deref(), Some("add"));
        assert_eq!(named("--color=never run --format=json other add").as_deref(), Some("other"));
        assert_eq!(named("run -- -x a=1").as_deref(), Some("-x"));
        assert_eq!(named("run --help add").as_deref(), Some("add"));
        assert_eq!(named("run"), None);
        assert_eq!(named("list add"), None);
        assert_eq!(named("nope add"), None);
    }

    #[test]
    fn allows_flags_before_the_name() {
        assert_eq!(named("run --city Paris add").as_deref(), Some("add"));
        assert_eq!(named("run --deep add").as_deref(), Some("add"));
        assert_eq!(named("run --city Paris other"), None);
    }
}
