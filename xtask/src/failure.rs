//! Errors of steps.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// One cause of a failed step.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A program could not be started.
    Start {
        /// The command line.
        command: String,
        /// The error.
        source: io::Error,
    },
    /// The output of a program could not be read.
    Read {
        /// The command line.
        command: String,
        /// The error.
        source: io::Error,
    },
    /// A program failed.
    Status {
        /// The command line.
        command: String,
        /// The exit status.
        status: ExitStatus,
    },
    /// A program exceeded its time limit.
    Late {
        /// The command line.
        command: String,
        /// What was expected.
        due: &'static str,
        /// The time limit.
        limit: Duration,
    },
    /// A program that a step needs is not installed.
    Missing {
        /// The program.
        program: &'static str,
        /// The Debian package that contains it.
        package: &'static str,
        /// `true` if it is installed, but incomplete.
        partly: bool,
    },
    /// A program that `cargo install` builds is not installed.
    NotInstalled {
        /// The program, which is named like its package.
        program: &'static str,
        /// The version that is known to work.
        version: &'static str,
    },
    /// A file could not be read or written.
    File {
        /// The file.
        path: String,
        /// The error.
        source: io::Error,
    },
    /// Tests were ignored or filtered out.
    Skipped(u64),
    /// No test ran.
    NoTests,
    /// The first line of a server was not its address.
    Address {
        /// The command line.
        command: String,
        /// The first line.
        output: String,
    },
    /// A committed file is out of date.
    Outdated(&'static str),
    /// The number of failed checks; each was reported.
    Checks(u64),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { command, source } => write!(f, "`{command}` could not be started: {source}"),
            Self::Read { command, source } => write!(f, "what `{command}` wrote could not be read: {source}"),
            Self::Status { command, status } => write!(f, "`{command}` ended with {status}"),
            Self::Late { command, due, limit } => {
                write!(f, "`{command}` did not {due} within {} s", limit.as_secs())
            }
            Self::Missing { program, package, partly } => write!(
                f,
                "`{program}` is not installed{}\nhelp: on Debian, `apt-get install {package}` \
                 (tried by itself only as root)",
                if *partly { ", is too old or lacks a part" } else { "" }
            ),
            Self::NotInstalled { program, version } => {
                write!(f, "`{program}` is not installed\nhelp: cargo install --locked {program}@{version}")
            }
            Self::File { path, source } => write!(f, "{path}: {source}"),
            Self::Skipped(count) => write!(
                f,
                "{count} tests were ignored or filtered out\nhelp: a test that cannot run here must say what it \
                 needs and fail; one that nobody wants is to be removed"
            ),
            Self::NoTests => f.write_str("not one test ran"),
            Self::Address { command, output } if output.is_empty() => {
                write!(f, "`{command}` ended and said nothing")
            }
            Self::Address { command, output } => {
                write!(
                    f,
                    "`{command}` was to say `listening on http://ADDR` first, and said `{}`",
                    output.trim_end()
                )
            }
            Self::Outdated(path) => write!(
                f,
                "{path} is not what this run would write\nhelp: run the step where `CI` is not set, and commit the file"
            ),
            Self::Checks(count) => write!(f, "{count} checks failed"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::Read { source, .. } | Self::File { source, .. } => {
                Some(source)
            }
            _ => None,
        }
    }
}
