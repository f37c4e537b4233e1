//! Processor time of commands, and what is made of several measurements.

use std::process::{Command, Output};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use crate::error::Error;

/// Processor seconds, in user and system mode.
pub(crate) type Seconds = f64;

/// Runs a command to its end: its output, and the processor time of all processes that it started and waited for.
///
/// # Errors
///
/// When it cannot be started, and when it fails: then with what it said.
pub(crate) fn run(command: &mut Command) -> Result<(Output, Seconds), Error> {
    let before = children()?;
    let output = command.output().map_err(|source| Error::Start { command: line(command), source })?;
    let seconds = children()? - before;
    if !output.status.success() {
        // Cargo's messages for programs stand on its standard output, and its errors never do.
        let output_bytes = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
        let text = String::from_utf8_lossy(output_bytes).into_owned();
        return Err(Error::Command { command: line(command), output: text });
    }
    Ok((output, seconds))
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The middle one, or the mean of the two in the middle; nothing for nothing.
pub(crate) fn median(mut values: Vec<Seconds>) -> Option<Seconds> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// What all children that were waited for have used until now.
#[expect(clippy::cast_precision_loss, reason = "microseconds of a run are far below 2^53")]
pub(crate) fn children() -> Result<Seconds, Error> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(Error::Usage)?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(microseconds as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_the_median() {
        assert_eq!(median(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn counts_the_time_of_grandchildren() {
        let busy = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done";
        let (_, seconds) = run(Command::new("sh").args(["-c", &format!("sh -c '{busy}'; true")])).unwrap();
        assert!(seconds > 0.005, "{seconds}");
    }

    #[test]
    fn reports_stderr_of_a_failed_command() {
        let error = run(Command::new("sh").args(["-c", "echo because >&2; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("because"), "{error}");
    }
}
