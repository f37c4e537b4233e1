//! The command `completions`, and the hidden one that its scripts call.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command};

/// The hidden command.
pub(crate) const COMMAND: &str = "__complete";

/// The shells that have a script.
const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Adds the arguments of the command that prints a script.
pub(super) fn completions(command: Command) -> Command {
    let shell = Arg::new("shell")
        .value_name("SHELL")
        .required(true)
        .help("The shell")
        .value_parser(PossibleValuesParser::new(SHELLS));
    command
        .long_about(
            "Print a script that completes commands, tools, inputs and their values.\n\n\
             bash: source <(PROGRAM completions bash)\n\
             zsh:  source <(PROGRAM completions zsh), after compinit\n\
             fish: PROGRAM completions fish | source\n\
             PowerShell: PROGRAM completions powershell | Out-String | Invoke-Expression",
        )
        .arg(shell)
}

/// Adds the arguments of the hidden command for completion scripts: the words so far, the last of which is being typed.
pub(super) fn complete(command: Command) -> Command {
    let shell = Arg::new("shell").required(true).value_parser(PossibleValuesParser::new(SHELLS));
    let words = Arg::new("words").num_args(0..).last(true).action(ArgAction::Append);
    command.args([shell, words])
}
