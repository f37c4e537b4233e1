//! `task answer`: answers the questions of a task.

use clap::ArgMatches;
use serde_json::Map;
use tool_core::elicitation::{AskOutcome, Question};
use tool_core::failure::Reason;
use tool_core::tasks::{Task, TaskState};
use tool_core::{Failure, FailureKind};

use crate::cli::{self, Format};
use crate::elicitation::{Answers, TerminalElicitor, names_of};
use crate::error::CliError;
use crate::streams::Streams;
use crate::task::{Tasks, failed, not_found, print_data, question};
use crate::terminal::Terminal;

/// Answers the questions for which there are answers, or all of them at the terminal.
pub(super) async fn answer(
    tasks: &Tasks<'_>,
    matches: &ArgMatches,
    streams: &mut Streams,
) -> Result<(), CliError> {
    let answers = Answers::parse(cli::many(matches, "answers"));
    let answers = answers.map_err(|reason| CliError::InvalidTaskAnswer { reason })?;
    let task = tasks.named(matches).await?;
    let questions = open_questions(&task)?;
    if let Some(key) = answers.stray(&questions) {
        let open: Vec<&str> = questions.iter().flat_map(names_of).collect();
        let reason = format!("no open question has `{key}`; there is `{}`", open.join("`, `"));
        return Err(CliError::InvalidTaskAnswer { reason });
    }
    let (mut given, mut open) = (Map::new(), Vec::new());
    let asks_all = answers.is_empty();
    let covered: Vec<bool> = questions.iter().map(|it| asks_all || answers.covers(it)).collect();
    let terminal = Terminal::new(streams);
    let elicitor = TerminalElicitor::new(terminal, streams.is_interactive(), answers, None)
        .answer_command(tasks.command("answer", &task.id));
    for (question, covered) in questions.iter().zip(covered) {
        if !covered {
            open.push(question.key.as_str());
        } else if let AskOutcome::Answer(answer) = elicitor.ask(question).await.map_err(CliError::call)? {
            given.insert(question.key.clone(), question::answer_json(answer));
        }
    }
    if !tasks.engine.answer(tasks.registry.principal(), &task.id, given).await.map_err(failed)? {
        return Err(not_found(&task.id.to_string()));
    }
    let task = tasks.get(&task.id).await?;
    if open.is_empty() {
        streams.notice(&format!("answered; wait for the result with `{}`", tasks.command("wait", &task.id)));
    } else {
        streams.notice(&format!("answered; still open: `{}`", open.join("`, `")));
    }
    match cli::format(matches) {
        Format::Text => Ok(()),
        _ => print_data(&task, matches, streams),
    }
}

fn open_questions(task: &Task) -> Result<Vec<Question>, CliError> {
    if task.state != TaskState::InputRequired {
        let message = format!("task {} has no open question: it is {}", task.id, task.state.as_str());
        return Err(CliError::call(Failure::new(FailureKind::Failed(Reason::Conflict), message)));
    }
    let questions = task.questions.iter().map(|(key, stored)| question::read(key, stored));
    questions.collect::<Result<_, _>>().map_err(CliError::call)
}
