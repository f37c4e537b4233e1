//! The errors of commands, with their texts and exit codes.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use serde_json::Value;
use tool_core::lock::LockError;
use tool_core::profile::ProfileError;
use tool_core::{BuildErrors, Failure, FailureKind, Registry, ToolDefinition, adapter};

use crate::info::path::UnknownPart;
use crate::streams::Streams;

/// The exit code for wrong usage, as clap has it too.
const USAGE: u8 = 2;

/// An error of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// What clap has to say: wrong usage, and also help and version.
    #[error("{error}")]
    Clap {
        error: clap::Error,
        /// Whether an argument, which the message may repeat, holds control characters.
        has_control_characters: bool,
    },
    #[error("`{given}` is neither key=value nor key:=json{}", correction_help(correction.as_deref()))]
    InvalidPair { given: String, correction: Option<String> },
    #[error("`{given}` is neither key=value nor key:=json\nhelp: write `--{flag}={given}`")]
    SwitchValue { flag: String, given: String },
    #[error("--answer: {reason}")]
    InvalidAnswer { reason: String },
    #[cfg(feature = "tasks")]
    #[error("{reason}")]
    InvalidTaskAnswer { reason: String },
    #[error("input `{key}` is given twice as an argument")]
    DuplicateInput { key: String },
    #[error("the value of `{key}:=` is not JSON: {error}\nhelp: write `{key}=…` for a text")]
    InvalidJson { key: String, error: serde_json::Error },
    #[error("cannot read `{}`: {error}", path.display())]
    ReadFile { path: PathBuf, error: io::Error },
    #[error("cannot read stdin: {0}")]
    ReadStdin(io::Error),
    #[error(
        "stdin is a terminal; arguments are not read from it\nhelp: redirect a file to stdin, or use `@FILE`"
    )]
    StdinTerminal,
    #[error("stdin can be read only once, but is used twice")]
    StdinReused,
    #[error("{what} has more than {limit} bytes, the most that is read")]
    TooLarge { what: String, limit: u64 },
    #[error("`{}` is not UTF-8", path.display())]
    NotUtf8 { path: PathBuf },
    #[error("the environment variable `{name}` is {}", if *is_set { "not UTF-8" } else { "not set" })]
    Variable { name: String, is_set: bool },
    #[error("{error}\nhelp: `info {tool}` shows all parts")]
    UnknownPart { tool: String, error: UnknownPart },
    #[error("unknown command `{0}`")]
    UnknownCommand(String),
    #[error("{}{}", failure.text(), similar_name_help(suggestion.as_deref()))]
    Call { failure: Failure, suggestion: Option<String> },
    /// The failure is the result, and was written to stdout already.
    #[error("{0}")]
    Printed(Failure),
    #[error("tool `{0}` has no output schema: it returns text, content or nothing")]
    NoOutputSchema(String),
    #[error("{0}")]
    Profile(#[from] ProfileError),
    #[error("{0}")]
    Registry(#[from] BuildErrors),
    #[error("{}", if *.0 == 1 { "there is 1 finding".to_owned() } else { format!("there are {} findings", .0) })]
    Findings(usize),
    #[error("`{}` does not exist\nhelp: run `lock` without `--check` to create it", .0.display())]
    LockMissing(PathBuf),
    #[error("cannot use `{}`: {error}", path.display())]
    Lock { path: PathBuf, error: LockError },
    #[error("the tools differ from `{}`\nhelp: if this is intended, run `lock` without `--check` to record it", .0.display())]
    LockOutdated(PathBuf),
    #[error(
        "the tools break callers of {0}\nhelp: keep what is called, or serve the new tools beside the old ones"
    )]
    BreaksCallers(String),
    #[error("cannot write `{}`: {error}", path.display())]
    WriteFile { path: PathBuf, error: io::Error },
    #[error("the server failed: {}", with_sources(.0.as_ref()))]
    Server(Box<dyn Error + Send + Sync>),
    #[error("cannot discover the tools: {}", with_sources(.0.as_ref()))]
    Discovery(Box<dyn Error + Send + Sync>),
    #[cfg(feature = "tasks")]
    #[error("the worker failed: {0}")]
    Worker(tool_core::tasks::TaskError),
    #[cfg(feature = "install")]
    #[error("{0}")]
    Install(#[from] crate::install::error::InstallError),
    #[cfg(feature = "publish")]
    #[error("{0}")]
    Publish(#[from] crate::publish::error::PublishError),
    #[error("the server did not shut down in time: {running}")]
    ShutdownTimeout { running: String },
    #[error("cannot write to stdout: {0}")]
    WriteStdout(#[from] io::Error),
}

impl CliError {
    /// Returns the error for a tool that does not exist, or is hidden in a read-only registry.
    pub(crate) fn tool_not_found(registry: &Registry, name: &str) -> Self {
        match registry.check_access(name) {
            Err(failure) if failure.kind() != FailureKind::NotFound => CliError::call(failure),
            Ok(()) | Err(_) => {
                let suggestion = adapter::nearest(registry, name).map(|tool| tool.name().to_owned());
                let failure = Failure::new(FailureKind::NotFound, format!("Tool not found: {name}"));
                CliError::Call { failure, suggestion }
            }
        }
    }

    /// Returns the error for a failed call.
    pub(crate) fn call(failure: Failure) -> Self {
        CliError::Call { failure, suggestion: None }
    }

    /// Returns the error of a server or a worker that did not end in time, with what still runs.
    pub(crate) fn shutdown_timeout(registry: &Registry) -> Self {
        let calls = |(tool, count): (String, usize)| {
            format!("{count} call{} of `{tool}`", if count == 1 { "" } else { "s" })
        };
        let running: Vec<_> = adapter::running(registry).into_iter().map(calls).collect();
        let running = if running.is_empty() {
            "no tool runs that modifies; a connection or a tool that reads is still open".to_owned()
        } else {
            format!("still running: {}", running.join(", "))
        };
        CliError::ShutdownTimeout { running }
    }

    /// Reports the error to the user, and returns the exit code.
    pub(crate) fn report(self, streams: &mut Streams) -> u8 {
        let code = self.exit_code();
        match self {
            CliError::Clap { error, has_control_characters } => {
                let text = error.render();
                // An escape sequence in an argument cannot be told from clap's own, so that all of them go.
                let plain = has_control_characters || !streams.is_colored(error.use_stderr());
                let text = if plain {
                    crate::style::neutral(&text.to_string()).into()
                } else {
                    text.ansi().to_string()
                };
                if error.use_stderr() {
                    streams.write_stderr(&text);
                } else if let Err(error) = streams.print(&text) {
                    return CliError::WriteStdout(error).report(streams);
                }
            }
            CliError::Printed(_) => {}
            CliError::WriteStdout(error) if error.kind() == ErrorKind::BrokenPipe => {}
            other => {
                streams.error(&other.to_string());
            }
        }
        code
    }

    fn exit_code(&self) -> u8 {
        match self {
            #[cfg(feature = "tasks")]
            CliError::InvalidTaskAnswer { .. } => USAGE,
            #[cfg(feature = "tasks")]
            CliError::Worker(_) => 1,
            #[cfg(feature = "install")]
            CliError::Install(_) => 1,
            #[cfg(feature = "publish")]
            CliError::Publish(_) => 1,
            CliError::Clap { error, .. } => u8::try_from(error.exit_code()).unwrap_or(USAGE),
            CliError::InvalidPair { .. }
            | CliError::SwitchValue { .. }
            | CliError::InvalidAnswer { .. }
            | CliError::DuplicateInput { .. }
            | CliError::InvalidJson { .. }
            | CliError::ReadFile { .. }
            | CliError::ReadStdin(_)
            | CliError::StdinTerminal
            | CliError::StdinReused
            | CliError::TooLarge { .. }
            | CliError::NotUtf8 { .. }
            | CliError::Variable { .. }
            | CliError::UnknownPart { .. }
            | CliError::UnknownCommand(_) => USAGE,
            CliError::Call { failure, .. } | CliError::Printed(failure) => failure.kind().codes().exit,
            // Whoever reads our output has seen enough of it, as in `| head`.
            CliError::WriteStdout(error) if error.kind() == ErrorKind::BrokenPipe => 0,
            CliError::NoOutputSchema(_)
            | CliError::Profile(_)
            | CliError::Registry(_)
            | CliError::Findings(_)
            | CliError::LockMissing(_)
            | CliError::Lock { .. }
            | CliError::LockOutdated(_)
            | CliError::BreaksCallers(_)
            | CliError::WriteFile { .. }
            | CliError::Server(_)
            | CliError::Discovery(_)
            | CliError::ShutdownTimeout { .. }
            | CliError::WriteStdout(_) => 1,
        }
    }
}

/// Returns the tool of this name.
pub(crate) fn find_tool<'r>(registry: &'r Registry, name: &str) -> Result<&'r ToolDefinition, CliError> {
    registry.get(name).ok_or_else(|| CliError::tool_not_found(registry, name))
}

/// Returns a failure as a JSON object.
pub(crate) fn failure_json(failure: &Failure) -> Value {
    let mut object = serde_json::json!({
        "success": false,
        "error": failure.message(),
        "error_type": failure.kind().codes().error_type,
    });
    if !failure.problems().is_empty() {
        object["problems"] = serde_json::json!(failure.problems());
    }
    if let Some(example) = failure.example() {
        object["example"] = example.clone();
    }
    object["retryable"] = failure.retryable().into();
    if let Some(wait) = failure.retry_after() {
        object["retry_after_seconds"] = wait.as_secs().into();
    }
    object
}

fn similar_name_help(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!("\nhelp: did you mean `{name}`?")).unwrap_or_default()
}

fn correction_help(correction: Option<&str>) -> String {
    correction.map(|correction| format!("\nhelp: write `{correction}`")).unwrap_or_default()
}

/// Returns the text of an error with its sources, without repetitions.
fn with_sources(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.ends_with(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use tool_core::{Registry, tool, tools};

    use super::CliError;

    /// Never ends.
    #[tool(operation = Write, destructive = false)]
    async fn stuck() {
        std::future::pending::<()>().await;
    }

    #[tokio::test]
    async fn names_what_still_runs_after_a_shutdown() {
        let registry = Registry::builder().tools(tools![stuck]).build().unwrap();
        let error = || CliError::shutdown_timeout(&registry).to_string();
        let before = "the server did not shut down in time: ";
        assert_eq!(
            error(),
            format!("{before}no tool runs that modifies; a connection or a tool that reads is still open")
        );
        for expected in ["1 call", "2 calls"] {
            // The callers leave.
            tokio::select! {
                biased;
                _ = registry.call("stuck", serde_json::json!({})) => panic!("it has ended"),
                () = tokio::task::yield_now() => {}
            }
            assert_eq!(error(), format!("{before}still running: {expected} of `stuck`"));
        }
    }
}
