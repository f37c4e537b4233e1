//! `lock`: what every tool promises, recorded in a file, and what changed since.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use clap::ArgMatches;
use serde_json::json;
use tool_core::lock::{Change, Difference, Lock};

use crate::app::App;
use crate::atomic_file::{self, Access};
use crate::cli::{self, Format};
use crate::error::CliError;
use crate::list::json_text;
use crate::streams::Streams;
use crate::style::neutral;
use crate::yaml;

/// Records what the tools promise, or compares it with what is recorded.
pub(crate) fn lock(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    app.registry.check()?;
    let now = Lock::of(&app.registry);
    let path = matches.get_one::<std::path::PathBuf>("file").map_or(Path::new("tools.lock"), |path| path);
    let check = matches.get_flag("check");
    if path == Path::new("-") && !check {
        return Ok(streams.print(&now.to_string())?);
    }
    let stored = read(path)?;
    if check && stored.is_none() {
        return Err(CliError::LockMissing(path.to_owned()));
    }
    let differences = stored.as_ref().map(|stored| stored.compare(&now)).unwrap_or_default();
    if !check && stored.as_ref() != Some(&now) {
        write(path, &now).map_err(|error| CliError::WriteFile { path: path.to_owned(), error })?;
    }
    report(&differences, stored.is_none(), path, matches, streams)?;
    if check && !differences.is_empty() { Err(CliError::LockOutdated(path.to_owned())) } else { Ok(()) }
}

fn read(path: &Path) -> Result<Option<Lock>, CliError> {
    match fs::read_to_string(path) {
        Ok(text) => text.parse().map(Some).map_err(|error| CliError::Lock { path: path.to_owned(), error }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CliError::ReadFile { path: path.to_owned(), error }),
    }
}

fn write(path: &Path, lock: &Lock) -> io::Result<()> {
    let metadata = fs::metadata(path).ok();
    atomic_file::write(path, lock.to_string().as_bytes(), Access::of(metadata.as_ref()))
}

fn report(
    differences: &[Difference],
    is_new: bool,
    path: &Path,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let breaking = differences.iter().filter(|difference| difference.change() == Change::Breaking).count();
    let data = || json!({ "breaking": breaking > 0, "differences": differences });
    match cli::format(matches) {
        Format::Json => streams.print(&json_text(&data()))?,
        Format::Yaml => streams.print(&yaml::text(&data()))?,
        _ => {
            let lines: String =
                differences.iter().map(|line| neutral(&format!("{line}\n")).into_owned()).collect();
            streams.print(&lines)?;
            let path = path.display();
            streams.notice(&match (is_new, differences.len()) {
                (true, _) => format!("`{path}` is new"),
                (false, 0) => format!("`{path}` is up to date"),
                (false, count) => format!("{count} differences from `{path}`, {breaking} breaking"),
            });
        }
    }
    Ok(())
}
