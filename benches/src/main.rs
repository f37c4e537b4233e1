#![doc = include_str!("../README.md")]

mod compile;
mod cost;
mod error;
mod flavour;
mod instructions;
mod leaf;
mod readme;
mod sample;
mod table;
mod workspace;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::compile::Plan;
use crate::error::Error;
use crate::workspace::Workspace;

fn main() -> ExitCode {
    match run(&command().get_matches()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn command() -> Command {
    let write = Arg::new("write")
        .long("write")
        .action(ArgAction::SetTrue)
        .help("Also write it into benches/README.md");
    let tools = Arg::new("tools")
        .long("tools")
        .value_name("N,N,…")
        .value_delimiter(',')
        .default_value("10,100,300")
        .value_parser(value_parser!(u16))
        .help("How many tools the leaf crates have");
    let runs = Arg::new("runs")
        .long("runs")
        .value_name("N")
        .default_value("3")
        .value_parser(value_parser!(u8).range(1..))
        .help("How often each step is measured; the median counts");
    Command::new("benches").about("What a tool costs, beside its peers").subcommand_required(true).subcommand(
        Command::new("compile").about("Compile time and binary size").args([write.clone(), tools, runs]),
    )
}

fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(ExitCode::from(2)) };
    let workspace = Workspace::open()?;
    let (section, good) = match name {
        "compile" => (compile::measure(&workspace, &plan(matches))?, true),
        _ => {
            let counted = instructions::count(&workspace)?;
            (counted.section, counted.alike)
        }
    };
    print(&section)?;
    if matches.get_flag("write") {
        readme::write_section(name, &section)?;
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn plan(matches: &ArgMatches) -> Plan {
    Plan {
        tools: matches.get_many::<u16>("tools").into_iter().flatten().copied().map(usize::from).collect(),
        runs: matches.get_one::<u8>("runs").copied().map_or(3, usize::from),
    }
}

fn print(text: &str) -> Result<(), Error> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|source| Error::io("standard output", source))
}
