#![doc = include_str!("../README.md")]

mod cli;
mod cold;
mod compile;
mod cost;
mod error;
mod flavor;
mod http;
mod instructions;
mod leaf;
mod mcp;
mod profile;
mod readme;
mod registry;
mod sample;
mod scale;
mod table;
mod tasks;
mod workspace;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::error::Error;
use crate::workspace::Workspace;

fn main() -> ExitCode {
    match run(&command().get_matches()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
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
        .help("Also write the result into benches/README.md");
    let tools = Arg::new("tools").long("tools").help("How many tools the leaf crates have");
    let counts = tools.clone().value_parser(value_parser!(u16).range(1..));
    let counts = counts.value_name("N,N,…").value_delimiter(',').default_value("10,100,300");
    let tools = tools.value_parser(value_parser!(u16).range(10..)).value_name("N").default_value("100");
    let runs = Arg::new("runs")
        .long("runs")
        .value_name("N")
        .default_value("3")
        .value_parser(value_parser!(u8).range(1..))
        .help("How often each step is measured; the median counts");
    Command::new("benches")
        .about("What a tool costs, beside its peers")
        .subcommand_required(true)
        .subcommands([
            Command::new("compile").about("Compile time and binary size").args([
                write.clone(),
                counts,
                runs.clone(),
            ]),
            Command::new("cold")
                .about("Crates and CPU seconds of a small server from nothing, beside the same on rmcp")
                .arg(write.clone()),
            Command::new("profile").about("What each part of the expansion costs").args([
                write.clone(),
                tools,
                runs,
            ]),
            Command::new("instructions")
                .about("Instructions of a call with 10 and with 1,000 tools; fails when they differ")
                .arg(write.clone()),
            Command::new("http")
                .about("What a list of tools costs over HTTP; fails when it is too much")
                .arg(write.clone()),
            Command::new("cli")
                .about("How long the command line of very many tools takes; fails when it is too much")
                .args([
                    write.clone(),
                    Arg::new("tools")
                        .long("tools")
                        .value_name("N")
                        .default_value("1000")
                        .value_parser(value_parser!(u16).range(10..))
                        .help("How many tools it has"),
                    Arg::new("runs")
                        .long("runs")
                        .value_name("N")
                        .default_value("300")
                        .value_parser(value_parser!(u16).range(1..))
                        .help("How often each command is run; the median counts"),
                ]),
            Command::new("mcp")
                .about("What a request of MCP costs, beside other crates; fails when it is too much")
                .args([
                    Arg::new("calls")
                        .long("calls")
                        .value_name("N")
                        .default_value("1000000")
                        .value_parser(value_parser!(u32).range(1..))
                        .help("After how many calls the memory is measured"),
                    write.clone(),
                    Arg::new("runs")
                        .long("runs")
                        .value_name("N")
                        .default_value("9")
                        .value_parser(value_parser!(u16).range(1..))
                        .help("In how many rounds each server is asked; the median counts"),
                ]),
            Command::new("mcp-instructions")
                .about(
                    "Instructions of a request of MCP and of a bare handler, by the crate that they are in",
                )
                .arg(write.clone()),
            Command::new("registry").about("Seconds and memory of a registry of very many tools").args([
                write.clone(),
                Arg::new("tools")
                    .long("tools")
                    .value_name("N")
                    .default_value("10000")
                    .value_parser(value_parser!(u16).range(1..))
                    .help("How many tools it has"),
            ]),
            Command::new("scale")
                .about("What very many tools from twenty providers take; fails when it is too much")
                .args([
                    write.clone(),
                    Arg::new("runs")
                        .long("runs")
                        .value_name("N")
                        .default_value("5")
                        .value_parser(value_parser!(u16).range(1..))
                        .help("How many processes each number of tools has; the median counts"),
                ]),
            Command::new("tasks").about("How many tasks a second, and how long one takes").args([
                write.clone(),
                Arg::new("runs")
                    .long("runs")
                    .value_name("N")
                    .default_value("3")
                    .value_parser(value_parser!(u16).range(1..))
                    .help("In how many rounds each database is measured; the median counts"),
            ]),
            Command::new("all").about("All eleven, one after another").arg(write),
        ])
}

/// Each has a section of its name in the README.
const TASKS: [&str; 11] = [
    "instructions",
    "http",
    "mcp",
    "mcp-instructions",
    "cli",
    "scale",
    "registry",
    "tasks",
    "profile",
    "cold",
    "compile",
];

/// Runs one task, or each of them with its defaults; whether all is well.
fn run(matches: &ArgMatches) -> Result<bool, Error> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(false) };
    let write = arguments.get_flag("write");
    let section = match name {
        "compile" => compile::measure(&Workspace::open()?, &counts(arguments), runs(arguments))?,
        "profile" => profile::measure(&Workspace::open()?, count(arguments), runs(arguments))?,
        "registry" => registry::measure(&Workspace::open()?, count(arguments))?,
        "cold" => cold::measure(&Workspace::open_in("cold")?)?,
        "mcp-instructions" => mcp::callgrind::count(&Workspace::open()?)?,
        "tasks" => tasks::measure(&Workspace::open()?, many_runs(arguments))?,
        "instructions" => {
            let counted = instructions::count(&Workspace::open()?)?;
            publish(name, &counted.section, write)?;
            return Ok(counted.alike);
        }
        "cli" => {
            let measured = cli::measure(&Workspace::open()?, count(arguments), many_runs(arguments))?;
            publish(name, &measured.section, write)?;
            return Ok(measured.met);
        }
        "mcp" => {
            let calls = arguments.get_one::<u32>("calls").copied().unwrap_or(1_000_000);
            let measured = mcp::measure(&Workspace::open()?, many_runs(arguments), calls)?;
            publish(name, &measured.section, write)?;
            return Ok(measured.met);
        }
        "scale" => {
            let measured = scale::measure(&Workspace::open()?, many_runs(arguments))?;
            publish(name, &measured.section, write)?;
            return Ok(measured.met);
        }
        "http" => {
            let measured = http::measure(&Workspace::open()?)?;
            publish(name, &measured.section, write)?;
            return Ok(measured.met);
        }
        _ => {
            let words = |task| ["benches", task].into_iter().chain(write.then_some("--write"));
            let run = |task| run(&command().get_matches_from(words(task)));
            return TASKS.into_iter().try_fold(true, |well, task| Ok(well & run(task)?));
        }
    };
    publish(name, &section, write)?;
    Ok(true)
}

fn counts(arguments: &ArgMatches) -> Vec<usize> {
    arguments.get_many::<u16>("tools").into_iter().flatten().copied().map(usize::from).collect()
}

fn count(arguments: &ArgMatches) -> usize {
    arguments.get_one::<u16>("tools").copied().map_or(100, usize::from)
}

fn runs(arguments: &ArgMatches) -> usize {
    arguments.get_one::<u8>("runs").copied().map_or(3, usize::from)
}

/// Of what is done in no time.
fn many_runs(arguments: &ArgMatches) -> usize {
    arguments.get_one::<u16>("runs").copied().map_or(9, usize::from)
}

/// Prints a section, and writes it into the README when asked to.
fn publish(name: &str, section: &str, write: bool) -> Result<(), Error> {
    std::io::stdout().write_all(section.as_bytes()).map_err(|source| Error::io("standard output", source))?;
    if write { readme::write_section(name, section) } else { Ok(()) }
}
