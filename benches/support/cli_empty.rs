//! A program of clap that does nothing: three commands like those that are measured, and one line for an answer.

use std::io::Write as _;

use clap::{Arg, Command};

fn main() {
    let name = Arg::new("name").required(true);
    let format = Arg::new("format").long("format").default_value("text");
    let grammar = Command::new("empty").version("1.0.0").about("Nothing").subcommand_required(true).subcommands([
        Command::new("list").about("List the tools").arg(format.clone()),
        Command::new("info").about("Tell everything about a tool").args([name.clone(), format.clone()]),
        Command::new("run").about("Run a tool").args([name, format, Arg::new("arguments").num_args(0..)]),
    ]);
    let matches = grammar.get_matches();
    let (command, _) = matches.subcommand().unwrap();
    writeln!(std::io::stdout(), "{command}").unwrap();
}
