//! A call on its way: how long it may take, who interrupts it, and how far it has come.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinHandle;
use tool_core::{Failure, FailureKind, Output, Registry, Reply, ToolDefinition};

use crate::asking::{Given, Interview};
use crate::progress::{self, Watch};
use crate::streams::Streams;

/// How long one waits without a word, for a call that was taken back to notice it and for what a call started to end.
const LETTING_GO: Duration = Duration::from_secs(1);

/// Calls the tool, until it is done, somebody interrupts, or the time is over.
pub(super) async fn call(
    registry: &Registry,
    tool: &ToolDefinition,
    arguments: Vec<u8>,
    limit: Option<Duration>,
    answers: Given,
    streams: &mut Streams,
) -> Result<Output, Failure> {
    if streams.is_verbose() {
        for repair in
            registry.validate(tool.name(), &arguments).map(|valid| valid.coercions).unwrap_or_default()
        {
            streams.notice(&format!("repaired: {repair}"));
        }
    }
    // Whoever reads it has a terminal or a pipe, and takes it as it is.
    let registry = &registry.in_full();
    let began = Instant::now();
    // To listen takes a thread. What changes nothing, and at which nobody sits, is over before that; and where it runs on this
    // very thread, nobody would answer the signal until it waits for something: it ends the process as it always did.
    let runs_here = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
    let listens_first = tool.modifies() || streams.is_interactive() || !runs_here;
    if listens_first {
        streams.interrupt().listen();
    }
    let watch = progress::watch(streams);
    let shown = watch.as_ref().map(Watch::shown);
    let interview = Interview::new(streams.terminal(), streams.is_interactive(), answers, shown);
    let mut told = registry.asking(Arc::new(interview));
    if let Some(watch) = &watch {
        told = told.reporting(watch.sink());
        if streams.is_verbose() {
            told = told.logging(watch.listener());
        }
    }
    let mut task = spawn(told, tool, arguments);
    let at_once = if listens_first { None } else { at_once(&mut task).await };
    let end = match at_once {
        Some(end) => end,
        None => {
            let (interrupted, _) = streams.interrupt().listen();
            let time_is_over = async {
                match limit {
                    Some(limit) => tokio::time::sleep(limit.saturating_sub(began.elapsed())).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                reply = &mut task => End::Answered(reply.ok()),
                () = interrupted.cancelled() => End::Interrupted,
                () = time_is_over => End::Late,
            }
        }
    };
    drop(watch);
    match end {
        End::Answered(Some(Reply { call_id, result, .. })) => {
            // The log has what was wrong, by the name of the call.
            let is_fault = result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::Internal);
            if streams.is_verbose() || is_fault {
                let outcome =
                    result.as_ref().map_or_else(|failure| failure.kind().codes().error_type, |_| "success");
                streams.notice(&format!(
                    "call {call_id} of `{}`: {outcome} after {:?}",
                    tool.name(),
                    began.elapsed()
                ));
            }
            result
        }
        // Panics are contained further in: what remains is a runtime that shuts down.
        End::Answered(None) => Err(Failure::internal()),
        End::Interrupted => {
            let_go(registry, tool, &mut task, "interrupt again", streams).await;
            let ran_on = ran_on(tool);
            let message = format!("`{}` was interrupted{ran_on}", tool.name());
            Err(Failure::new(FailureKind::Cancelled, message))
        }
        End::Late => {
            streams.abandon();
            let_go(registry, tool, &mut task, "interrupt", streams).await;
            let ran_on = ran_on(tool);
            let limit = limit.unwrap_or_default();
            let message = format!("`{}` did not end within {limit:?}{ran_on}", tool.name());
            Err(Failure::new(FailureKind::Timeout, message).with_retryable(!tool.modifies()))
        }
    }
}

/// Waits for what the tool started and did not wait for itself: the program would cut it off.
pub(super) async fn settle(registry: &Registry, streams: &mut Streams) {
    // As nearly always: nothing is left, and nobody has to be heard.
    tokio::select! {
        biased;
        () = registry.drain() => return,
        () = std::future::ready(()) => {}
    }
    let (interrupted, _) = streams.interrupt().listen();
    tokio::select! {
        () = registry.drain() => return,
        () = tokio::time::sleep(LETTING_GO) => streams.notice("waiting for what was started to end"),
        () = interrupted.cancelled() => {}
    }
    tokio::select! {
        () = registry.drain() => return,
        () = interrupted.cancelled() => {}
    }
    streams.notice("what was started runs on to its end; interrupt again to leave it half done");
    registry.drain().await;
}

enum End {
    Answered(Option<Reply>),
    Interrupted,
    Late,
}

/// How the task ended, if it has come to an end by the time that it first waits for something.
async fn at_once(task: &mut JoinHandle<Reply>) -> Option<End> {
    tokio::select! {
        biased;
        reply = task => Some(End::Answered(reply.ok())),
        () = tokio::task::yield_now() => None,
    }
}

/// Calls in a task of its own: a function that blocks then does not keep us from hearing the interrupt.
fn spawn(registry: Registry, tool: &ToolDefinition, arguments: Vec<u8>) -> JoinHandle<Reply> {
    let name = tool.name().to_owned();
    tokio::spawn(async move { registry.invoke(&name, &arguments).await })
}

/// What has become of a call that nobody waited for.
fn ran_on(tool: &ToolDefinition) -> &'static str {
    if tool.modifies() { ", and ran on to its end" } else { "" }
}

/// Takes the call back. A change that is under way is not left half done: it is waited for, unless somebody insists, which
/// ends the process.
async fn let_go(
    registry: &Registry,
    tool: &ToolDefinition,
    task: &mut JoinHandle<Reply>,
    insist: &str,
    streams: &mut Streams,
) {
    if !tool.modifies() {
        task.abort();
        // It is dropped where it waits, and cleans up. What never waits cannot be dropped.
        let _ = tokio::time::timeout(LETTING_GO, task).await;
        return;
    }
    streams.notice(&format!(
        "`{}` changes something and runs on to its end; {insist} to leave it half done",
        tool.name()
    ));
    task.abort();
    registry.drain().await;
}
