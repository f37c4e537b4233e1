//! `task show`: one task.

use clap::ArgMatches;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tool_core::tasks::{Task, TaskState};

use crate::cli::{self, Format};
use crate::error::{CliError, failure_json};
use crate::run::output;
use crate::streams::Streams;
use crate::style::neutral;
use crate::task::list::{progress, status, without_fraction};
use crate::task::{Tasks, print_data};

/// Shows a task, with its result if it has ended.
pub(super) async fn show(
    tasks: &Tasks<'_>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let task = tasks.named(matches).await?;
    if cli::format(matches) != Format::Text {
        return print_data(&task, matches, streams);
    }
    let mut page = String::new();
    for (name, fact) in facts(tasks, &task) {
        let name = streams.paint().heading(&format!("{name:<8}"));
        page.push_str(&format!("{name}  {}\n", neutral(&fact).replace('\n', "\n          ")));
    }
    if let Some(Ok(output)) = task.outcome.as_ref().map(|outcome| outcome.result()) {
        page.push('\n');
        page.push_str(&output::text(output, streams.width(), streams.paint()));
    }
    Ok(streams.print(&page)?)
}

fn facts(tasks: &Tasks<'_>, task: &Task) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Task", task.id.to_string()),
        ("Tool", task.tool.clone()),
        ("Status", status(task)),
        ("Created", without_fraction(task.created_at())),
        ("Changed", without_fraction(task.updated_at())),
        ("Attempts", task.attempt.to_string()),
    ];
    facts.extend(progress(task).map(|progress| ("Progress", progress)));
    for (key, question) in &task.questions {
        let message = question.request["params"]["message"].as_str().unwrap_or_default();
        facts.push(("Question", format!("{key}: {message}")));
    }
    if task.state == TaskState::InputRequired {
        facts.push(("Answer", tasks.command("answer", &task.id)));
    }
    if let Some(Err(failure)) = task.outcome.as_ref().map(|outcome| outcome.result()) {
        facts.push(("Failure", failure.text()));
    }
    facts
}

/// A task with its result. Over HTTP, the result is the body of the response and has a status; here it is what
/// `run --format json` prints, and has an exit code.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskDocument {
    #[serde(flatten)]
    task: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
}

/// Returns a task as JSON.
pub(super) fn json(task: &Task) -> String {
    let (exit_code, result) = match task.outcome.as_ref().map(|outcome| outcome.result()) {
        None => (None, None),
        Some(Ok(output)) => (Some(0), RawValue::from_string(output::json(output)).ok()),
        Some(Err(failure)) => {
            (Some(failure.kind().codes().exit), serde_json::value::to_raw_value(&failure_json(failure)).ok())
        }
    };
    let document = TaskDocument { task: task.to_json(), exit_code, result };
    serde_json::to_string(&document).unwrap_or_default()
}
