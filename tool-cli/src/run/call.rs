//! A running call: its time limit, its interruption and its progress.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tool_core::{CallOptions, Failure, FailureKind, Output, Registry, Reply, ToolDefinition};

use crate::elicitation::{Answers, TerminalElicitor};
use crate::progress::{self, ProgressWatch};
use crate::streams::Streams;
use crate::terminal::Terminal;

/// How long to wait silently for a canceled call, and for background work of a call.
const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// Calls the tool until it completes, is interrupted, or times out.
pub(super) async fn call(
    registry: &Registry,
    tool: &ToolDefinition,
    arguments: Vec<u8>,
    limit: Option<Duration>,
    answers: Answers,
    streams: &mut Streams,
) -> Result<Output, Failure> {
    if streams.is_verbose() {
        for repair in
            registry.validate(tool.name(), &arguments).map(|valid| valid.coercions).unwrap_or_default()
        {
            streams.notice(&format!("repaired: {repair}"));
        }
    }
    let began = Instant::now();
    // Listening for signals takes a thread. A read-only call without a terminal does without: on a current-thread runtime nothing
    // would handle the signal before the call waits, so the signal ends the process as usual.
    let runs_here = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
    let watches_signals = tool.modifies() || streams.is_interactive() || !runs_here;
    if watches_signals {
        streams.interrupt().listen();
    }
    let watch = progress::watch(streams);
    let display = watch.as_ref().map(ProgressWatch::display);
    let elicitor = TerminalElicitor::new(Terminal::new(streams), streams.is_interactive(), answers, display);
    // Terminals and pipes accept results of any size.
    let mut options = CallOptions::new().full_results().client(Arc::new(elicitor));
    if let Some(watch) = &watch {
        options = options.progress(watch.progress_sink());
        if streams.is_verbose() {
            options = options.log(watch.log_sink());
        }
    }
    let mut task = spawn(registry.clone(), tool, arguments, options);
    let poll_once = if watches_signals { None } else { poll_once(&mut task).await };
    let outcome = match poll_once {
        Some(outcome) => outcome,
        None => {
            let (interrupted, _) = streams.interrupt().listen();
            let timed_out = async {
                match limit {
                    Some(limit) => tokio::time::sleep(limit.saturating_sub(began.elapsed())).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                reply = &mut task => Outcome::Completed(reply.ok()),
                () = interrupted.cancelled() => Outcome::Interrupted,
                () = timed_out => Outcome::TimedOut,
            }
        }
    };
    match outcome {
        Outcome::Completed(reply) => {
            drop(watch);
            completed(tool, reply, began, streams)
        }
        Outcome::Interrupted => {
            cancel(registry, tool, &mut task, "interrupt again", watch, streams).await;
            let continued_note = continued_note(tool);
            let message = format!("`{}` was interrupted{continued_note}", tool.name());
            Err(Failure::new(FailureKind::Cancelled, message))
        }
        Outcome::TimedOut => {
            streams.abandon();
            cancel(registry, tool, &mut task, "interrupt", watch, streams).await;
            let continued_note = continued_note(tool);
            let limit = limit.unwrap_or_default();
            let message = format!("`{}` did not end within {limit:?}{continued_note}", tool.name());
            Err(Failure::new(FailureKind::Timeout, message).with_retryable(!tool.modifies()))
        }
    }
}

/// Returns the result of a call that has ended.
fn completed(
    tool: &ToolDefinition,
    reply: Option<Reply>,
    began: Instant,
    streams: &Streams,
) -> Result<Output, Failure> {
    // Panics are caught earlier, so the runtime is shutting down.
    let Some(Reply { call_id, result, .. }) = reply else { return Err(Failure::internal()) };
    // The log has the cause, under the call id.
    let is_fault = result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::Internal);
    if streams.is_verbose() || is_fault {
        let status = result.as_ref().map_or_else(|failure| failure.kind().codes().error_type, |_| "success");
        let name = tool.name();
        streams.notice(&format!("call {call_id} of `{name}`: {status} after {:?}", began.elapsed()));
    }
    result
}

/// Waits for background work of the tool, which the end of the program would interrupt.
pub(super) async fn drain(registry: &Registry, streams: &mut Streams) {
    // Usually there is none, and no signal handler is needed.
    tokio::select! {
        biased;
        () = registry.drain() => return,
        () = std::future::ready(()) => {}
    }
    let (interrupted, _) = streams.interrupt().listen();
    tokio::select! {
        () = registry.drain() => return,
        () = tokio::time::sleep(CANCEL_GRACE) => streams.notice("waiting for background work to finish"),
        () = interrupted.cancelled() => {}
    }
    tokio::select! {
        () = registry.drain() => return,
        () = interrupted.cancelled() => {}
    }
    streams.notice("background work is allowed to finish; interrupt again to abort it");
    registry.drain().await;
}

enum Outcome {
    Completed(Option<Reply>),
    Interrupted,
    TimedOut,
}

/// Polls the task once, and returns its outcome if it has completed.
async fn poll_once(task: &mut JoinHandle<Reply>) -> Option<Outcome> {
    tokio::select! {
        biased;
        reply = task => Some(Outcome::Completed(reply.ok())),
        () = tokio::task::yield_now() => None,
    }
}

/// Spawns the call as a task, so that a blocking function does not delay the interrupt.
fn spawn(
    registry: Registry,
    tool: &ToolDefinition,
    arguments: Vec<u8>,
    options: CallOptions,
) -> JoinHandle<Reply> {
    let name = tool.name().to_owned();
    tokio::spawn(async move { registry.call_with(&name, &arguments, &options).await })
}

/// Returns the note for a call that is no longer waited for.
fn continued_note(tool: &ToolDefinition) -> &'static str {
    if tool.modifies() { ", but was allowed to finish" } else { "" }
}

/// Cancels the call. A modifying call is allowed to complete, unless a second interrupt ends the process. The last progress
/// stays on the terminal.
async fn cancel(
    registry: &Registry,
    tool: &ToolDefinition,
    task: &mut JoinHandle<Reply>,
    abort_hint: &str,
    watch: Option<ProgressWatch>,
    streams: &Streams,
) {
    if tool.modifies() {
        let name = tool.name();
        let notice = format!("`{name}` modifies data and is allowed to finish; {abort_hint} to abort it");
        match &watch {
            Some(watch) => watch.display().suspend(|| streams.notice(&notice)),
            None => streams.notice(&notice),
        }
        task.abort();
        registry.drain().await;
    } else {
        task.abort();
        // Cancellation takes effect when the call waits; a call that never waits cannot be canceled.
        let _ = tokio::time::timeout(CANCEL_GRACE, task).await;
    }
    if let Some(watch) = watch {
        watch.leave();
    }
}
