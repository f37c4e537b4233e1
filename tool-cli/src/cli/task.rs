//! The command `task`, and the options of `run` that create a task.

use clap::{Arg, ArgAction, Command, value_parser};

use crate::app::App;
use crate::cli::duration::duration;
use crate::cli::inputs::Inputs;
use crate::cli::options;

/// Adds the commands below `task`.
pub(super) fn task(command: Command) -> Command {
    let list = Command::new("list")
        .about("List your tasks, newest first")
        .args([limit(), after()])
        .args(options::identity())
        .arg(options::format(["table", "markdown", "json", "yaml"]));
    let show = of_one("show", "Show a task: its state, its progress, its questions and its result");
    let wait =
        of_one("wait", "Wait for a task, and print its result as `run` does; an interrupt leaves it running")
            .arg(timeout());
    let answer = of_one("answer", "Answer the questions of a task").arg(answers());
    let cancel = of_one("cancel", "Cancel a task");
    let work = Command::new("work").about("Run the tasks of all callers, until an interrupt");
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([list, show, wait, answer, cancel, work])
}

/// Returns a command about one task.
fn of_one(name: &'static str, about: &'static str) -> Command {
    let task = Arg::new("task").value_name("ID").help("The id of the task").required(true);
    Command::new(name)
        .about(about)
        .arg(task)
        .arg(options::format(["text", "json", "yaml"]))
        .args(options::identity())
}

fn limit() -> Arg {
    Arg::new("limit")
        .long("limit")
        .value_name("N")
        .help("How many tasks to list at most")
        .default_value("20")
        .value_parser(value_parser!(u16).range(1..=1000))
}

fn after() -> Arg {
    Arg::new("after").long("after").value_name("ID").help("Only tasks that are older than this one")
}

fn timeout() -> Arg {
    Arg::new("timeout")
        .long("timeout")
        .value_name("TIME")
        .help("How long to wait: `500ms`, `30s`, `2m`; the task is left running")
        .value_parser(duration)
}

fn answers() -> Arg {
    Arg::new("answers")
        .value_name("KEY=VALUE")
        .help("Answers by field name; without any, the questions are asked on the terminal")
        .long_help(
            "Answers to the open questions; without any, they are asked on the terminal.\n\
             The key is the name of a field, or the key of a question, a dot and the name of a field; `KEY:=JSON` takes \
             JSON. A question is declined with `:no` for its own key. One that sends you to a page is confirmed with `:yes`.",
        )
        .action(ArgAction::Append)
        .num_args(0..)
}

/// Returns the options of `run` that create a task. They are hidden for a tool that does not run as one, which can have an input
/// of the same name.
pub(super) fn detach(app: &App, inputs: Option<&Inputs<'_>>) -> Vec<Arg> {
    if !cfg!(feature = "tasks") {
        return Vec::new();
    }
    let hidden = !app.has_tasks() || inputs.is_some_and(|inputs| !inputs.runs_as_task());
    let detach = Arg::new("detach")
        .long("detach")
        .help("Create a task, print its id and end; see `task`")
        .action(ArgAction::SetTrue)
        .conflicts_with_all(["answer", "timeout"]);
    let key = Arg::new("key")
        .long("key")
        .value_name("KEY")
        .help("Run as a task that exists once for this key, however often the command runs");
    let is_free = |arg: &Arg| {
        let flags = inputs.into_iter().flat_map(|inputs| &inputs.flags);
        !flags.into_iter().any(|flag| Some(flag.long.as_str()) == arg.get_long())
    };
    [detach, key].map(|arg| arg.hide(hidden)).into_iter().filter(is_free).collect()
}
