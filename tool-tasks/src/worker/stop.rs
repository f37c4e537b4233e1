//! How long a worker that was stopped waits for the database.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long a worker that was stopped waits for a database that is away.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a worker that has ended waits for the removal of its rows. Others sweep them otherwise.
pub(super) const LEAVING: Duration = Duration::from_secs(1);

/// Returns when the worker was stopped, and has waited for the database long enough since.
pub(super) async fn given_up(stop: &CancellationToken) {
    stop.cancelled().await;
    sleep(PATIENCE).await;
}
