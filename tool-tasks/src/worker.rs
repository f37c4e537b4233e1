//! A worker: it takes tasks, runs them and records how they ended.

mod attempt;
mod claim;
mod heartbeat;
mod recorder;
mod sweep;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tool_core::Principal;
use tool_core::tasks::{NewTask, TaskError, TaskOptions, TaskRun, TaskSupport};

use crate::core::Core;
use crate::database::{BACK_OFF, DatabaseError, Stored};
use claim::{Claimed, Claims};
use recorder::End;

/// How often a worker looks for tasks that other processes created.
const POLL: Duration = Duration::from_millis(150);

/// Takes and runs tasks until `stop`, and then until those that it runs have ended.
pub(crate) async fn work(
    core: Arc<Core>,
    run: Arc<dyn TaskRun>,
    stop: CancellationToken,
) -> Result<(), TaskError> {
    let worker = worker_name()?;
    let (ends, received) = mpsc::channel(256);
    let recorder = recorder::record(Arc::clone(&core), received);
    let beating = CancellationToken::new();
    let heartbeat = heartbeat::run(&core, &worker, beating.clone());
    let sweep = sweep::run(&core, beating.clone());
    let take = async {
        let result = take(&core, &worker, &run, &stop, ends).await;
        beating.cancel();
        result
    };
    let (result, (), (), ()) = tokio::join!(take, heartbeat, sweep, recorder);
    heartbeat::leave(&core, &worker).await;
    Ok(result?)
}

/// Returns a name that no other worker has.
fn worker_name() -> Result<Arc<str>, TaskError> {
    let random = NewTask::new(&Principal::anonymous(), "", "{}", TaskOptions::new(TaskSupport::Optional))?;
    Ok(format!("tool-tasks-{}", random.id).into())
}

/// Takes tasks and begins them until `stop`, and waits for their ends.
async fn take(
    core: &Arc<Core>,
    worker: &Arc<str>,
    run: &Arc<dyn TaskRun>,
    stop: &CancellationToken,
    ends: mpsc::Sender<End>,
) -> Stored<()> {
    let mut attempts = JoinSet::new();
    let mut claims = Claims::new(core, worker);
    let mut pause = BACK_OFF.0;
    while !stop.is_cancelled() {
        let free = core.options.concurrency.saturating_sub(attempts.len());
        let mut woken = std::pin::pin!(core.wake.notified());
        woken.as_mut().enable();
        match claims.claim(free).await {
            Ok(claimed) => {
                let is_more = free > 0 && claims.may_have_more();
                pause = BACK_OFF.0;
                for Claimed { attempt, running } in claimed {
                    let (core, run, ends) = (Arc::clone(core), Arc::clone(run), ends.clone());
                    attempts.spawn(attempt::run(core, run, attempt, running, ends));
                }
                if is_more {
                    while attempts.try_join_next().is_some() {}
                    continue;
                }
            }
            Err(DatabaseError::Unusable(problem)) => return Err(DatabaseError::Unusable(problem)),
            Err(error) => {
                tracing::warn!(%error, "tasks cannot be taken; trying again");
                tokio::select! { () = sleep(pause) => {}, () = stop.cancelled() => {} }
                pause = (pause * 2).min(BACK_OFF.1);
                continue;
            }
        }
        let is_full = attempts.len() >= core.options.concurrency;
        tokio::select! {
            () = stop.cancelled() => {}
            () = woken, if !is_full => {}
            () = sleep(POLL), if !is_full => {}
            Some(_) = attempts.join_next() => while attempts.try_join_next().is_some() {},
        }
    }
    drop(ends);
    while attempts.join_next().await.is_some() {}
    Ok(())
}
