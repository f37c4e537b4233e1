//! Running tasks: `task work`, and beside a server.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_core::Registry;
use tool_core::tasks::TaskError;

use crate::app::App;
use crate::error::CliError;
use crate::interrupt::GRACE;
use crate::streams::Streams;

/// Runs tasks until an interrupt, and then until those that have begun have ended.
pub(super) async fn work(app: &App, streams: &mut Streams) -> Result<(), CliError> {
    app.registry.check()?;
    let (shutdown, overdue) = streams.interrupt().listen();
    let mut worker = start(&app.registry, shutdown.clone());
    streams.notice("running tasks; interrupt to stop");
    let working = async {
        tokio::select! {
            result = &mut worker => return result_of(result),
            () = shutdown.cancelled() => {}
        }
        streams.notice("waiting for the tasks that run now; interrupt again to abort them");
        let result = result_of((&mut worker).await);
        app.registry.drain().await;
        result
    };
    tokio::select! {
        result = working => result,
        () = overdue.cancelled() => Err(CliError::shutdown_timeout(&app.registry)),
    }
}

/// Runs tasks beside a server, until one of the two ends. Without a worker, the tasks that a server accepts would not run.
pub(crate) async fn with_worker(
    registry: &Registry,
    stop: &CancellationToken,
    server: impl Future<Output = Result<(), CliError>>,
) -> Result<(), CliError> {
    if registry.task_engine().is_none() {
        return server.await;
    }
    let mut worker = start(registry, stop.clone());
    let served = async {
        let result = server.await;
        stop.cancel();
        result
    };
    let worked = async {
        let overdue = async {
            stop.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let result = tokio::select! {
            result = &mut worker => result_of(result),
            () = overdue => Err(CliError::shutdown_timeout(registry)),
        };
        stop.cancel();
        result
    };
    let (served, worked) = tokio::join!(served, worked);
    served.and(worked)
}

fn start(registry: &Registry, stop: CancellationToken) -> JoinHandle<Result<(), TaskError>> {
    let registry = registry.clone();
    tokio::spawn(async move { registry.run_tasks(stop).await })
}

fn result_of(joined: Result<Result<(), TaskError>, tokio::task::JoinError>) -> Result<(), CliError> {
    match joined {
        Ok(result) => result.map_err(CliError::Worker),
        Err(error) => Err(CliError::Worker(TaskError::Unavailable(error.to_string()))),
    }
}
