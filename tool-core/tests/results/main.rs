//! Large results: stored for each caller, and read in parts.

#[cfg(unix)]
mod local;
mod preview;
mod read_result;
mod retention;
mod shared;
mod storage;
mod storage_faults;

use tool_core::results::ResultStore;
use tool_core::{Digest, Principal};

fn ada() -> Principal {
    Principal::new("ada")
}

fn bob() -> Principal {
    Principal::new("bob")
}

async fn text_of(store: &ResultStore, principal: &Principal, digest: Digest) -> Option<String> {
    let stored = store.read(principal, digest).await.unwrap()?;
    Some(stored.text().unwrap().to_owned())
}
