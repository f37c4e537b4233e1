//! The command line of `cargo xtask`.

use std::fmt;
use std::process::ExitCode;
use std::thread;

use crate::clients::{self, Clients};
use crate::environment::{self, Environment};
use crate::failure::Failure;
use crate::fuzz::{self, TARGETS};
use crate::guides;
use crate::mutants;
use crate::process::Invocation;
use crate::program::{POSTGRESQL, VALGRIND};
use crate::soak;
use crate::step::{self, Step};
use crate::steps::STEPS;
use crate::supply_chain;

/// How long a fuzz target runs unless the command line says it.
const SECONDS: u64 = 60;

/// A parsed command.
#[derive(Debug)]
pub(crate) enum Command {
    /// Prints the help.
    Help,
    /// Runs these steps, in this order.
    Test(Vec<&'static Step>),
    /// Hands these arguments to the `benches` package.
    Bench(Vec<String>),
    /// Builds the guides.
    Docs,
    /// Runs a fuzz target.
    Fuzz(fuzz::Run),
    /// Hands these arguments to the `soak` package.
    Soak(Vec<String>),
    /// Hands these arguments to `cargo-mutants`.
    Mutants(Vec<String>),
    /// Checks licenses, sources and bans with `cargo-deny`.
    Deny,
    /// Checks advisories with `cargo-deny`.
    Advisories,
}

impl Command {
    /// Parses the arguments of `cargo xtask`.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, UsageError> {
        let Some((name, rest)) = arguments.split_first() else { return Ok(Self::Help) };
        match name.as_str() {
            "help" | "--help" | "-h" => Ok(Self::Help),
            "test" => chosen(rest).map(Self::Test),
            "bench" => Ok(Self::Bench(rest.to_vec())),
            "docs" => Ok(Self::Docs),
            "fuzz" => fuzzed(rest).map(Self::Fuzz),
            "soak" => Ok(Self::Soak(rest.to_vec())),
            "mutants" => Ok(Self::Mutants(rest.to_vec())),
            "deny" => Ok(Self::Deny),
            "advisories" => Ok(Self::Advisories),
            _ => Err(UsageError::Command(name.clone())),
        }
    }

    /// Runs the command. The exit code is 0 on success, and 1 otherwise.
    pub(crate) fn run(self) -> ExitCode {
        match self {
            Self::Help => {
                println!("{}", help());
                ExitCode::SUCCESS
            }
            Self::Test(steps) => {
                if steps.len() == STEPS.len() {
                    thread::spawn(install_all);
                }
                step::run(&steps)
            }
            Self::Bench(arguments) => ended(bench(arguments)),
            Self::Docs => ended(guides::build()),
            Self::Fuzz(run) => ended(run.run()),
            Self::Soak(arguments) => ended(POSTGRESQL.ensure().and_then(|()| soak::run(&arguments))),
            Self::Mutants(arguments) => ended(mutants::run(&arguments)),
            Self::Deny => ended(supply_chain::deny()),
            Self::Advisories => ended(supply_chain::advisories()),
        }
    }
}

/// Installs the programs, and the packages of npm and `PyPI`, that steps need. Beside the first steps this takes no time: those wait
/// for the compiler, and it waits for the network. A failure is reported by the step that tries again.
fn install_all() {
    for program in STEPS.iter().flat_map(|step| step.needs) {
        let _ = program.ensure();
    }
    for folder in clients::FOLDERS {
        let _ = Clients::install(folder);
    }
    for required in environment::ALL {
        let _ = Environment::install(required);
    }
}

/// An invalid argument.
#[derive(Debug)]
pub(crate) enum UsageError {
    /// The command does not exist.
    Command(String),
    /// The step of `test` does not exist.
    Step(String),
    /// The fuzz target does not exist, or none is named.
    Target(Option<String>),
    /// The number of seconds is not one, or there is none.
    Seconds(Option<String>),
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(name) => write!(f, "there is no command `{name}`\n\n{}", help()),
            Self::Step(name) => {
                let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
                write!(f, "there is no step `{name}`\nhelp: the steps are {}", names.join(", "))
            }
            Self::Target(name) => {
                let targets = TARGETS.join(", ");
                match name {
                    Some(name) => {
                        write!(f, "there is no fuzz target `{name}`\nhelp: the targets are {targets}")
                    }
                    None => write!(f, "name a fuzz target\nhelp: the targets are {targets}"),
                }
            }
            Self::Seconds(Some(text)) => write!(f, "`{text}` is not a number of seconds"),
            Self::Seconds(None) => f.write_str("`--seconds` needs a number"),
        }
    }
}

/// Returns the steps of these names in the order of [`STEPS`], or all of them without names.
fn chosen(names: &[String]) -> Result<Vec<&'static Step>, UsageError> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        return Err(UsageError::Step(unknown.clone()));
    }
    let wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(STEPS.iter().filter(wanted).collect())
}

/// Returns the run of a fuzz target with these arguments.
fn fuzzed(arguments: &[String]) -> Result<fuzz::Run, UsageError> {
    let Some((name, rest)) = arguments.split_first() else { return Err(UsageError::Target(None)) };
    let target = TARGETS.into_iter().find(|target| target == name);
    let target = target.ok_or_else(|| UsageError::Target(Some(name.clone())))?;
    let (seconds, arguments) = match rest {
        [option, rest @ ..] if option == "--seconds" => {
            let (seconds, rest) = rest.split_first().ok_or(UsageError::Seconds(None))?;
            (seconds.parse().map_err(|_| UsageError::Seconds(Some(seconds.clone())))?, rest)
        }
        rest => (SECONDS, rest),
    };
    Ok(fuzz::Run { target, seconds, arguments: arguments.to_vec() })
}

/// Reports a failure, if there is one. The exit code is 0 on success, and 1 otherwise.
fn ended(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the benchmarks, which count instructions with Valgrind.
fn bench(arguments: Vec<String>) -> Result<(), Failure> {
    VALGRIND.ensure()?;
    Invocation::cargo(["run", "--package", "benches", "--release", "--locked", "--"])
        .arguments(arguments)
        .announce()
        .run()
}

fn help() -> String {
    let steps: Vec<String> =
        STEPS.iter().map(|step| format!("  {:<12} {}", step.name, step.summary)).collect();
    format!(
        "usage: cargo xtask COMMAND\n\n\
         commands\n  \
         test [STEP…]   run the steps below, or only those named, in this order\n  \
         bench [ARG…]   run the benchmarks: cargo run --package benches --release -- ARG…\n  \
         docs           build the guides as HTML, in target/docs\n  \
         fuzz TARGET [--seconds N] [ARG…]\n                 \
         run a fuzz target for {SECONDS} s or N, with arguments of libFuzzer: {}\n  \
         soak --minutes N [--seed S]\n                 \
         load all interfaces of one application; the figures are in target/soak\n  \
         mutants [ARG…] change the code of .cargo/mutants.toml, and report what no test notices: cargo mutants ARG…\n  \
         deny           check licenses, sources and bans by deny.toml, with cargo-deny\n  \
         advisories     check Cargo.lock against the advisories of RustSec, with cargo-deny\n\n\
         steps of `test`\n{}",
        TARGETS.join(", "),
        steps.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, UsageError> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Command::parse(&words)
    }

    fn steps(line: &str) -> Vec<&'static str> {
        match parse(line) {
            Ok(Command::Test(steps)) => steps.iter().map(|step| step.name).collect(),
            other => panic!("`{line}` is no test run: {other:?}"),
        }
    }

    #[test]
    fn runs_every_step_by_default() {
        assert_eq!(
            steps("test"),
            [
                "fmt",
                "test",
                "clippy",
                "doc",
                "api",
                "semver",
                "soak",
                "oldest",
                "browser",
                "package",
                "replicas",
                "docs",
                "clients",
                "features",
                "instructions",
                "profiles",
                "schemathesis",
                "typed",
                "conformance",
                "onetool",
                "gateway",
                "oauth",
                "publish",
                "shells"
            ]
        );
    }

    #[test]
    fn runs_selected_steps_once_in_order() {
        assert_eq!(steps("test clients fmt clients"), ["fmt", "clients"]);
    }

    #[test]
    fn rejects_an_unknown_step_and_lists_the_steps() {
        let mistake = parse("test fmt format").unwrap_err().to_string();
        assert!(mistake.starts_with("there is no step `format`"), "{mistake}");
        assert!(mistake.contains("fmt, test, clippy"), "{mistake}");
    }

    #[test]
    fn rejects_an_unknown_command_and_shows_the_help() {
        let mistake = parse("tests").unwrap_err().to_string();
        assert!(mistake.contains("`tests`") && mistake.contains("bench [ARG…]"), "{mistake}");
    }

    #[test]
    fn lists_every_step_in_the_help() {
        assert!(matches!(parse(""), Ok(Command::Help)));
        let help = help();
        assert!(STEPS.iter().all(|step| help.contains(step.name) && help.contains(step.summary)), "{help}");
    }

    #[test]
    fn accepts_a_target_a_time_and_any_arguments_for_fuzz() {
        let Ok(Command::Fuzz(run)) = parse("fuzz stdio --seconds 5 -runs=9 -jobs=2") else {
            panic!("no run")
        };
        let arguments = vec!["-runs=9".to_owned(), "-jobs=2".to_owned()];
        assert_eq!(run, fuzz::Run { target: "stdio", seconds: 5, arguments });
        let Ok(Command::Fuzz(run)) = parse("fuzz message") else { panic!("no run") };
        assert_eq!(run, fuzz::Run { target: "message", seconds: SECONDS, arguments: Vec::new() });
    }

    #[test]
    fn rejects_an_unknown_fuzz_target_and_an_invalid_time() {
        for (line, expected) in [
            ("fuzz", "name a fuzz target"),
            ("fuzz messages", "there is no fuzz target `messages`"),
            ("fuzz message --seconds", "`--seconds` needs a number"),
            ("fuzz message --seconds soon", "`soon` is not a number of seconds"),
        ] {
            let mistake = parse(line).unwrap_err().to_string();
            assert!(mistake.starts_with(expected), "{mistake}");
        }
    }

    #[test]
    fn accepts_any_arguments_for_soak() {
        let Ok(Command::Soak(arguments)) = parse("soak --minutes 60 --seed 7") else { panic!("no soak") };
        assert_eq!(arguments, ["--minutes", "60", "--seed", "7"]);
        assert!(help().contains("soak --minutes N [--seed S]"), "{}", help());
    }

    #[test]
    fn accepts_any_arguments_for_mutants() {
        let Ok(Command::Mutants(arguments)) = parse("mutants --re origin.rs --jobs 2") else {
            panic!("not a run of cargo-mutants")
        };
        assert_eq!(arguments, ["--re", "origin.rs", "--jobs", "2"]);
        assert!(help().contains("mutants [ARG…] change the code"), "{}", help());
    }

    #[test]
    fn checks_dependencies() {
        assert!(matches!(parse("deny"), Ok(Command::Deny)));
        assert!(matches!(parse("advisories"), Ok(Command::Advisories)));
    }

    #[test]
    fn builds_the_guides() {
        assert!(matches!(parse("docs"), Ok(Command::Docs)));
        assert!(help().contains("docs           build the guides"), "{}", help());
    }

    #[test]
    fn accepts_any_arguments_for_bench() {
        let Ok(Command::Bench(arguments)) = parse("bench --list compile") else { panic!("not a bench") };
        assert_eq!(arguments, ["--list", "compile"]);
    }
}
