//! Detection of changes in the database.

use std::sync::Arc;
use std::time::Duration;

use crate::catalogue::Catalogue;
use crate::store::{Revision, Store};

/// The polling interval.
const LOOKED_AFTER: Duration = Duration::from_millis(250);

/// Refreshes a catalogue whenever its database has changed, until the task is dropped.
///
/// A missing file is not a change: the last list is served until it expires. Its return is one.
pub async fn watch(store: Store, catalogue: Arc<Catalogue>) {
    // The first revision may or may not have been read already.
    let mut last = None;
    loop {
        let now = revision(&store).await;
        if now.is_some() && now != last {
            catalogue.refresh();
        }
        last = now;
        tokio::time::sleep(LOOKED_AFTER).await;
    }
}

/// Returns the revision of the file, if it can be read.
async fn revision(store: &Store) -> Option<Revision> {
    let store = store.clone();
    let looked = tokio::task::spawn_blocking(move || store.reader().revision());
    match looked.await {
        Ok(Ok(revision)) => Some(revision),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the state of the catalogue is not known");
            None
        }
        Err(_) => None,
    }
}
