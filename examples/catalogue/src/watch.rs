//! Looking after the database, so that what is described elsewhere is served here.

use std::sync::Arc;
use std::time::Duration;

use crate::catalogue::Catalogue;
use crate::store::{Revision, Store};

/// How often somebody looks.
const LOOKED_AFTER: Duration = Duration::from_millis(250);

/// Refreshes a catalogue whenever its database has changed. Ends with the task that it runs in.
///
/// A database that is gone is no change: what was listed is served for its time. That it is back is one.
pub async fn watch(store: Store, catalogue: Arc<Catalogue>) {
    // Whatever is there when this begins may have been read already, or not.
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

/// The state of the file; none while there is none to be known.
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
