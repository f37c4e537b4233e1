//! Results that are too large to be shown, as an application sees them: kept for who called, and read in parts.

mod failing;
mod keeping;
#[cfg(unix)]
mod local;
mod preview;
mod reading;
mod storage;

use tool_core::results::ResultStore;
use tool_core::{Digest, Principal};

fn ada() -> Principal {
    Principal::new("ada")
}

fn bob() -> Principal {
    Principal::new("bob")
}

async fn text_of(store: &ResultStore, principal: &Principal, digest: Digest) -> Option<String> {
    let kept = store.read(principal, digest).await.unwrap()?;
    Some(kept.text().unwrap().to_owned())
}
