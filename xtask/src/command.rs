//! The command line of `cargo xtask`.

use std::fmt;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::process::Invocation;
use crate::program::VALGRIND;
use crate::step::{self, Step};
use crate::steps::STEPS;

/// A parsed command.
#[derive(Debug)]
pub(crate) enum Command {
    /// Prints the help.
    Help,
    /// Runs these steps, in this order.
    Test(Vec<&'static Step>),
    /// Hands these arguments to the `benches` package.
    Bench(Vec<String>),
}

impl Command {
    /// Parses the arguments of `cargo xtask`.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, UsageError> {
        let Some((name, rest)) = arguments.split_first() else { return Ok(Self::Help) };
        match name.as_str() {
            "help" | "--help" | "-h" => Ok(Self::Help),
            "test" => chosen(rest).map(Self::Test),
            "bench" => Ok(Self::Bench(rest.to_vec())),
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
            Self::Test(steps) => step::run(&steps),
            Self::Bench(arguments) => match bench(arguments) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => {
                    eprintln!("error: {failure}");
                    ExitCode::FAILURE
                }
            },
        }
    }
}

/// An invalid argument.
#[derive(Debug)]
pub(crate) enum UsageError {
    /// The command does not exist.
    Command(String),
    /// The step of `test` does not exist.
    Step(String),
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(name) => write!(f, "there is no command `{name}`\n\n{}", help()),
            Self::Step(name) => {
                let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
                write!(f, "there is no step `{name}`\nhelp: the steps are {}", names.join(", "))
            }
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
         bench [ARG…]   run the benchmarks: cargo run --package benches --release -- ARG…\n\n\
         steps of `test`\n{}",
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
                "clippy",
                "doc",
                "api",
                "test",
                "oldest",
                "package",
                "features",
                "instructions",
                "profiles",
                "schemathesis",
                "clients",
                "conformance",
                "onetool",
                "gateway",
                "shells",
                "browser"
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
        assert!(mistake.contains("fmt, clippy, doc"), "{mistake}");
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
    fn accepts_any_arguments_for_bench() {
        let Ok(Command::Bench(arguments)) = parse("bench --list compile") else { panic!("not a bench") };
        assert_eq!(arguments, ["--list", "compile"]);
    }
}
