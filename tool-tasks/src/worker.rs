//! A worker: it takes tasks, runs them and records how they ended.

mod abandoned;
mod attempt;
pub(crate) mod claim;
mod heartbeat;
mod recorder;
mod rows;
mod stop;
mod sweep;
pub(crate) mod watch;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tool_core::Principal;
use tool_core::tasks::{NewTask, TaskError, TaskOptions, TaskRun, TaskSupport};

use crate::core::Core;
use crate::database::{BACK_OFF, DatabaseError, Stored};
use claim::{Claimed, Claims};
use recorder::End;
use stop::{LEAVING, given_up};

/// How often a worker looks for tasks that other processes created, unless the database notifies it.
const POLL: Duration = Duration::from_millis(50);

/// Takes and runs tasks until `stop`, and then until those that it runs have ended.
pub(crate) async fn work(
    core: Arc<Core>,
    run: Arc<dyn TaskRun>,
    stop: CancellationToken,
) -> Result<(), TaskError> {
    let worker = worker_name()?;
    let (ends, received) = mpsc::channel(256);
    core.database.listen(&core.changes);
    let recorder = recorder::record(Arc::clone(&core), received, stop.clone());
    let beating = CancellationToken::new();
    let heartbeat = heartbeat::run(&core, &worker, beating.clone());
    let sweep = sweep::run(&core, &worker, beating.clone());
    let take = async {
        let result = take(&core, &worker, &run, &stop, ends).await;
        beating.cancel();
        result
    };
    let (result, (), (), ()) = tokio::join!(take, heartbeat, sweep, recorder);
    if let Err(error) = timeout(LEAVING, leave(&core, &worker)).await.unwrap_or_else(|_| Err(no_answer())) {
        tracing::debug!(%error, "a worker that has ended cannot be removed");
    }
    Ok(result?)
}

async fn leave(core: &Core, worker: &str) -> Stored<()> {
    let mut transaction = core.database.begin().await?;
    rows::leave(&mut *transaction, worker).await?;
    transaction.commit().await
}

fn no_answer() -> DatabaseError {
    DatabaseError::Away("the database does not answer".to_owned())
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
        let mut woken = std::pin::pin!(core.changes.due.notified());
        woken.as_mut().enable();
        let result = tokio::select! { result = claims.claim(free) => result, () = given_up(stop) => break };
        match result {
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
        let poll = if core.database.is_listening() { core.options.listening_poll } else { POLL };
        tokio::select! {
            () = stop.cancelled() => {}
            () = woken, if !is_full => {}
            () = sleep(poll), if !is_full => {}
            Some(_) = attempts.join_next() => while attempts.try_join_next().is_some() {},
        }
    }
    drop(ends);
    while attempts.join_next().await.is_some() {}
    Ok(())
}
