//! `cargo xtask`: all checks of this workspace, and other tasks.
//!
//! Only `std`, so that it compiles before everything else.

#![allow(clippy::print_stdout, reason = "the report of the steps is this program's output")]

mod binaries;
mod cargo_program;
mod clients;
mod command;
mod conformance;
mod environment;
mod failure;
mod fuzz;
mod guides;
mod inspector;
mod install_lock;
mod mutants;
mod process;
mod program;
mod server;
mod soak;
mod step;
mod steps;
mod supply_chain;
mod table;
mod tally;
mod target;
mod workspace;

use std::process::ExitCode;

use crate::command::Command;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    match Command::parse(&arguments) {
        Ok(command) => command.run(),
        Err(mistake) => {
            eprintln!("error: {mistake}");
            ExitCode::from(2)
        }
    }
}
