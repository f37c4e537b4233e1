//! `task list`: the tasks of a caller.

use clap::ArgMatches;
use serde_json::Value;
use tool_core::tasks::{Task, TaskState};

use crate::cli::{self, Format};
use crate::error::CliError;
use crate::list::json_text;
use crate::streams::Streams;
use crate::table::Table;
use crate::task::{Tasks, failed, not_found};
use crate::yaml;

/// Lists the tasks of the caller, newest first.
pub(super) async fn list(
    tasks: &Tasks<'_>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let after = cli::one::<String>(matches, "after");
    let after = after.map(|id| id.parse().map_err(|_| not_found(id))).transpose()?;
    let limit = cli::one::<u16>(matches, "limit").copied().map_or(20, usize::from);
    // One more tells whether there are more.
    let found = tasks.engine.list(tasks.registry.principal(), after.as_ref(), limit + 1).await;
    let mut found = found.map_err(failed)?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let data = || found.iter().map(|task| Value::Object(task.to_summary())).collect::<Value>();
    let page = match cli::format(matches) {
        Format::Json => json_text(&data()),
        Format::Yaml => yaml::text(&data()),
        _ if found.is_empty() => {
            streams.notice("no tasks");
            return Ok(());
        }
        format => {
            let mut table = Table::new(["ID", "TOOL", "STATUS", "CREATED", "DETAIL"]);
            found.iter().for_each(|task| table.push(cells(task)));
            match format {
                Format::Markdown => table.markdown(),
                _ => table.text(streams.width(), streams.paint()),
            }
        }
    };
    streams.print(&page)?;
    if let Some(last) = found.last().filter(|_| has_more) {
        streams.notice(&format!("more: {} task list --after {}", tasks.program, last.id));
    }
    Ok(())
}

fn cells(task: &Task) -> [String; 5] {
    let created = without_fraction(task.created_at());
    [task.id.to_string(), task.tool.clone(), status(task), created, detail(task)]
}

/// Returns the state for people.
pub(super) fn status(task: &Task) -> String {
    let canceling = if task.is_canceled && !task.state.has_ended() { ", being canceled" } else { "" };
    format!("{}{canceling}", task.state.as_str())
}

/// Returns how far the task is, or what became of it.
fn detail(task: &Task) -> String {
    if task.state == TaskState::InputRequired {
        let keys: Vec<&str> = task.questions.keys().map(String::as_str).collect();
        return format!("asks: {}", keys.join(", "));
    }
    match &task.outcome {
        Some(_) => task.message().unwrap_or_default().lines().next().unwrap_or_default().to_owned(),
        None => progress(task).unwrap_or_default(),
    }
}

/// Returns the progress of a task, as in `3/10 pages`.
pub(super) fn progress(task: &Task) -> Option<String> {
    let progress = task.progress.as_ref()?;
    let total = progress.total.map(|total| format!("/{total}")).unwrap_or_default();
    Some(format!("{}{total} {}", progress.done, progress.message).trim_end().to_owned())
}

/// Returns a time of RFC 3339 in whole seconds.
pub(super) fn without_fraction(time: String) -> String {
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time,
    }
}
