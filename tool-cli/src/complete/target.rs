//! Finds out what is being completed.

use std::ffi::OsString;

use clap::{Arg, Command};

/// The kind of the word that is being completed.
pub(super) enum Target<'g> {
    /// The value of an option.
    Value { option: &'g Arg },
    /// An option or a positional argument.
    Word {
        command: &'g Command,
        /// The positional arguments so far.
        given: Vec<&'g str>,
        /// Whether `--` comes before it, so that it cannot be an option.
        after_separator: bool,
    },
}

/// Follows the words before the one that is being typed.
pub(super) fn target_of<'g>(program: &'g Command, words: &'g [OsString]) -> Target<'g> {
    let (mut command, mut given, mut after_separator) = (program, Vec::new(), false);
    let mut words = words.iter().filter_map(|word| word.to_str());
    while let Some(word) = words.next() {
        if !after_separator && word == "--" {
            after_separator = true;
        } else if !after_separator && word.len() > 1 && word.starts_with('-') {
            if let Some(option) = find_option(&[command, program], word)
                && !word.contains('=')
                && takes_word(option)
                && words.next().is_none()
            {
                return Target::Value { option };
            }
        } else if let (true, Some(next)) = (given.is_empty(), command.find_subcommand(word)) {
            command = next;
        } else {
            given.push(word);
        }
    }
    Target::Word { command, given, after_separator }
}

/// Returns the option of a word, which may contain its value after `=`.
pub(super) fn find_option<'g>(commands: &[&'g Command], word: &str) -> Option<&'g Arg> {
    let long = word.strip_prefix("--")?;
    let long = long.split_once('=').map_or(long, |(long, _)| long);
    commands.iter().find_map(|command| command.get_opts().find(|arg| arg.get_long() == Some(long)))
}

/// Returns `true` if the next word is the value of this option.
pub(super) fn takes_word(option: &Arg) -> bool {
    option.get_action().takes_values() && !option.is_require_equals_set()
}
