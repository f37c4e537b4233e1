//! `task`: calls that outlive the command that made them.

mod answer;
mod list;
mod question;
mod show;
mod wait;
mod worker;

use std::sync::Arc;

use clap::ArgMatches;
use tool_core::failure::Reason;
use tool_core::tasks::{Task, TaskEngine, TaskError, TaskId, TaskSupport};
use tool_core::{Failure, FailureKind, Registry, ToolDefinition};

use crate::app::App;
use crate::cli::{self, Format};
use crate::elicitation::Answers;
use crate::error::CliError;
use crate::run::output;
use crate::streams::Streams;
use crate::{identity, yaml};

pub(crate) use worker::with_worker;

/// The tasks of one caller.
struct Tasks<'a> {
    program: &'a str,
    registry: Registry,
    engine: Arc<dyn TaskEngine>,
}

/// Runs a command below `task`.
pub(crate) async fn task(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
    if command == "work" {
        return worker::work(app, streams).await;
    }
    let tasks = Tasks::of_caller(app, matches).await?;
    match command {
        "list" => list::list(&tasks, matches, streams).await,
        "show" => show::show(&tasks, matches, streams).await,
        "wait" => {
            let task = tasks.named(matches).await?;
            let waiter = wait::Waiter::new(&tasks, Answers::default(), cli::one(matches, "timeout").copied());
            wait_and_print(&waiter, task, matches, streams).await
        }
        "answer" => answer::answer(&tasks, matches, streams).await,
        _ => cancel(&tasks, matches, streams).await,
    }
}

/// Returns `true` if this call of `run` creates a task: the tool must run as one, or the caller wants it.
pub(crate) fn is_wanted(tool: &ToolDefinition, matches: &ArgMatches) -> bool {
    let is_required = tool.task().is_some_and(|options| options.support == TaskSupport::Required);
    is_required || cli::flag(matches, "detach") || cli::one::<String>(matches, "key").is_some()
}

/// Creates a task. Prints its id with `--detach`, or waits for it and prints its result.
pub(crate) async fn run(
    app: &App,
    tool: &ToolDefinition,
    arguments: &[u8],
    answers: Answers,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let registry = identity::registry(app, matches).await?;
    let key = cli::one::<String>(matches, "key").map(String::as_str);
    let task = registry.create_task(tool.name(), arguments, key, None).await.map_err(failed)?;
    if cli::flag(matches, "detach") {
        return match cli::format(matches) {
            Format::Text => Ok(streams.print(&format!("{}\n", task.id))?),
            _ => print_data(&task, matches, streams),
        };
    }
    streams.notice(&format!("task {}", task.id));
    let tasks = Tasks::of_caller(app, matches).await?;
    let waiter = wait::Waiter::new(&tasks, answers, cli::one(matches, "timeout").copied());
    wait_and_print(&waiter, task, matches, streams).await
}

/// Waits for a task, and prints its result as `run` prints that of a call.
async fn wait_and_print(
    waiter: &wait::Waiter<'_>,
    task: Task,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let task = waiter.wait(task, streams).await.map_err(CliError::call)?;
    match task.outcome.as_ref().map(|outcome| outcome.result()) {
        Some(Ok(output)) => output::show(output, matches, streams),
        Some(Err(failure)) => Err(CliError::call(failure.clone())),
        None => Err(CliError::call(Failure::internal())),
    }
}

async fn cancel(tasks: &Tasks<'_>, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let task = tasks.named(matches).await?;
    if !tasks.engine.cancel(tasks.registry.principal(), &task.id).await.map_err(failed)? {
        return Err(not_found(&task.id.to_string()));
    }
    let had_ended = task.state.has_ended();
    let task = tasks.get(&task.id).await?;
    streams.notice(&match (had_ended, task.state.has_ended()) {
        (true, _) => format!("task {} had ended already: {}", task.id, task.state.as_str()),
        (false, true) => format!("task {} is {}", task.id, task.state.as_str()),
        (false, false) => format!("task {} is being canceled", task.id),
    });
    match cli::format(matches) {
        Format::Text => Ok(()),
        _ => print_data(&task, matches, streams),
    }
}

impl<'a> Tasks<'a> {
    async fn of_caller(app: &'a App, matches: &ArgMatches) -> Result<Self, CliError> {
        let registry = identity::registry(app, matches).await?;
        let engine = registry.task_engine().map(Arc::clone);
        // The command exists only with an engine.
        let engine = engine.ok_or_else(|| CliError::call(Failure::internal()))?;
        Ok(Tasks { program: &app.name, registry, engine })
    }

    /// Returns the task that the command names.
    async fn named(&self, matches: &ArgMatches) -> Result<Task, CliError> {
        let text = cli::one::<String>(matches, "task").map_or("", String::as_str);
        match text.parse() {
            Ok(id) => self.get(&id).await,
            Err(_) => Err(not_found(text)),
        }
    }

    async fn get(&self, id: &TaskId) -> Result<Task, CliError> {
        let task = self.engine.get(self.registry.principal(), id).await.map_err(failed)?;
        task.ok_or_else(|| not_found(&id.to_string()))
    }

    /// Returns the command that does something with a task, as typed.
    fn command(&self, command: &str, id: &TaskId) -> String {
        format!("{} task {command} {id}", self.program)
    }
}

/// Prints a task as data.
fn print_data(task: &Task, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let json = show::json(task);
    let page = match cli::format(matches) {
        Format::Yaml => serde_json::from_str(&json).map_or_else(|_| json.clone(), |value| yaml::text(&value)),
        _ => json + "\n",
    };
    Ok(streams.print(&page)?)
}

/// Returns the error for a task that does not exist, has expired, or belongs to somebody else.
fn not_found(id: &str) -> CliError {
    let message = format!("Task not found: {id}");
    CliError::call(Failure::new(FailureKind::Failed(Reason::NotFound), message))
}

fn failed(error: TaskError) -> CliError {
    CliError::call(error.into_failure())
}
