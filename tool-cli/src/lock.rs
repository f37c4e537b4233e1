//! `lock`: what every tool promises, recorded in a file, and what changed since.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

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
    if let Some(running) = cli::one::<PathBuf>(matches, "against") {
        let (differences, source) = compare_running(&now, running, streams)?;
        report(&differences, false, &source, matches, streams)?;
        return refuse_breaking(&differences, source);
    }
    let path = matches.get_one::<PathBuf>("file").map_or(Path::new("tools.lock"), |path| path);
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
    report(&differences, stored.is_none(), &quoted(path), matches, streams)?;
    if check && !differences.is_empty() { Err(CliError::LockOutdated(path.to_owned())) } else { Ok(()) }
}

/// Refuses to start a server if its tools break callers of the version that is running, and names what breaks them.
pub(crate) fn check_running(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let Some(running) = cli::one::<PathBuf>(matches, "against") else { return Ok(()) };
    let (mut differences, source) = compare_running(&Lock::of(&app.registry), running, streams)?;
    differences.retain(|difference| difference.change() == Change::Breaking);
    for difference in &differences {
        streams.write_stderr(&neutral(&format!("{difference}\n")));
    }
    refuse_breaking(&differences, source)
}

/// Returns the differences from what is running, and its name for messages.
fn compare_running(
    now: &Lock,
    path: &Path,
    streams: &mut Streams,
) -> Result<(Vec<Difference>, String), CliError> {
    let text = if path == Path::new("-") {
        if streams.stdin_is_terminal() {
            return Err(CliError::StdinTerminal);
        }
        let bytes = streams.read_all(MAX_LIST + 1).map_err(CliError::ReadStdin)?;
        as_text(bytes, path, "stdin".to_owned())?
    } else {
        read_file(path)?
    };
    // A list is an array, and a lock an object.
    let differences = if text.trim_start().starts_with('[') {
        now.compare_service(&text)
    } else {
        text.parse::<Lock>().map(|running| running.compare(now))
    };
    let source = if path == Path::new("-") { "stdin".to_owned() } else { quoted(path) };
    let differences = differences.map_err(|error| CliError::Lock { path: path.to_owned(), error })?;
    Ok((differences, source))
}

/// The largest lock or list of a service, in bytes.
const MAX_LIST: u64 = 64 << 20;

fn read_file(path: &Path) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_LIST + 1).read_to_end(&mut bytes));
    read.map_err(|error| CliError::ReadFile { path: path.to_owned(), error })?;
    as_text(bytes, path, quoted(path))
}

/// Returns what was read of a source, at most a byte more than the limit.
fn as_text(bytes: Vec<u8>, path: &Path, what: String) -> Result<String, CliError> {
    if bytes.len() as u64 > MAX_LIST {
        return Err(CliError::TooLarge { what, limit: MAX_LIST });
    }
    String::from_utf8(bytes).map_err(|_| CliError::NotUtf8 { path: path.to_owned() })
}

fn refuse_breaking(differences: &[Difference], source: String) -> Result<(), CliError> {
    let breaks = differences.iter().any(|difference| difference.change() == Change::Breaking);
    if breaks { Err(CliError::BreaksCallers(source)) } else { Ok(()) }
}

fn quoted(path: &Path) -> String {
    format!("`{}`", path.display())
}

fn read(path: &Path) -> Result<Option<Lock>, CliError> {
    match read_file(path) {
        Ok(text) => text.parse().map(Some).map_err(|error| CliError::Lock { path: path.to_owned(), error }),
        Err(CliError::ReadFile { error, .. }) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(path: &Path, lock: &Lock) -> io::Result<()> {
    let metadata = fs::metadata(path).ok();
    atomic_file::write(path, lock.to_string().as_bytes(), Access::of(metadata.as_ref()))
}

fn report(
    differences: &[Difference],
    is_new: bool,
    source: &str,
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
            streams.notice(&match (is_new, differences.len()) {
                (true, _) => format!("{source} is new"),
                (false, 0) => format!("{source} is up to date"),
                (false, count) => format!("{count} differences from {source}, {breaking} breaking"),
            });
        }
    }
    Ok(())
}
