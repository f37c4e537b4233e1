//! Detection of changes in the database.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tool_replicas::PostgresChanges;

use crate::catalogue::Catalogue;
use crate::store::{Database, Postgres, Revision, Store};

/// The polling interval of a file.
const LOOKED_AFTER: Duration = Duration::from_millis(250);

/// The channel that the triggers of the migrations notify.
const CHANNEL: &str = "catalogue";

/// Refreshes a catalogue whenever its database has changed, until the task is dropped.
///
/// A missing file is not a change: the last list is served until it expires. Its return is one. With PostgreSQL the tables are
/// created if they are missing, and a connection that was lost counts as a change, since notifications were lost with it.
pub async fn watch(store: Store, catalogue: Arc<Catalogue>) {
    match store.reader().database() {
        Database::File(path) => poll(path, &catalogue).await,
        Database::Postgres(postgres) => listen(postgres, &store, &catalogue).await,
    }
}

/// Creates the tables of PostgreSQL if they are missing. If the database is away, [`watch`] does so once it is back.
///
/// Returns `true` if it created or updated tables. A failure is logged.
pub async fn prepare(store: &Store) -> bool {
    let prepared = store.prepare().await;
    prepared
        .inspect_err(|error| tracing::error!(%error, "the tables of the catalogue cannot be created"))
        .unwrap_or_default()
}

async fn listen(postgres: &Postgres, store: &Store, catalogue: &Catalogue) {
    let changes = match PostgresChanges::at(postgres.url(), CHANNEL) {
        Ok(changes) => changes,
        Err(error) => return tracing::error!(%error, "changes of the catalogue are not noticed"),
    };
    let mut changes = pin!(changes.listen());
    while changes.next().await.is_some() {
        // Only hints: the list is compared with the last one before clients are notified.
        catalogue.refresh();
        // The database may be another one since it was lost. This may wait for a lock, and the list does not.
        if prepare(store).await {
            catalogue.refresh();
        }
    }
}

async fn poll(path: &Path, catalogue: &Catalogue) {
    // The first revision may or may not have been read already.
    let mut last = None;
    loop {
        let now = revision(path).await;
        if now.is_some() && now != last {
            catalogue.refresh();
        }
        last = now;
        tokio::time::sleep(LOOKED_AFTER).await;
    }
}

/// Returns the revision of the file, if it can be read.
async fn revision(path: &Path) -> Option<Revision> {
    let revision = Revision::of(path).await;
    revision.inspect_err(|error| tracing::debug!(%error, "the state of the catalogue is not known")).ok()
}
