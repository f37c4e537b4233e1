//! The resources that a client has subscribed to.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::sync::lock;

/// The most resources that one client may subscribe to.
pub(crate) const MOST_WATCHED: usize = 1024;

/// The most bytes that their URIs may have.
pub(crate) const MOST_URI_BYTES: usize = 1 << 20;

/// The URIs of resources that a client has subscribed to; `None` before its first subscription.
#[derive(Debug, Default)]
pub(crate) struct WatchedUris(Mutex<Option<BTreeSet<String>>>);

impl WatchedUris {
    /// Watches these, up to the limits.
    pub(crate) fn of(uris: impl IntoIterator<Item = String>) -> Self {
        let watched = WatchedUris::default();
        for uri in uris {
            let _ = watched.add(uri);
        }
        watched
    }

    /// Adds a URI. Returns `None` if there are too many, and otherwise whether it is the first one ever.
    pub(crate) fn add(&self, uri: String) -> Option<bool> {
        let mut watched = lock(&self.0);
        let none = BTreeSet::new();
        let uris = watched.as_ref().unwrap_or(&none);
        let bytes = uris.iter().map(String::len).sum::<usize>() + uri.len();
        if !uris.contains(&uri) && (uris.len() >= MOST_WATCHED || bytes > MOST_URI_BYTES) {
            return None;
        }
        let is_first = watched.is_none();
        watched.get_or_insert_default().insert(uri);
        Some(is_first)
    }

    pub(crate) fn remove(&self, uri: &str) {
        if let Some(uris) = &mut *lock(&self.0) {
            uris.remove(uri);
        }
    }

    /// Watches these instead. Returns whether they are the first ones ever.
    pub(crate) fn replace(&self, uris: &BTreeSet<String>) -> bool {
        let mut watched = lock(&self.0);
        let is_first = watched.is_none() && !uris.is_empty();
        if is_first || watched.as_ref().is_some_and(|watched| watched != uris) {
            *watched = Some(uris.clone());
        }
        is_first
    }

    pub(crate) fn uris(&self) -> BTreeSet<String> {
        lock(&self.0).clone().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_the_number_of_resources() {
        let watched = WatchedUris::default();
        assert_eq!(watched.add("a://0".to_owned()), Some(true));
        for n in 1..MOST_WATCHED {
            assert_eq!(watched.add(format!("a://{n}")), Some(false));
        }
        assert_eq!(watched.add("a://0".to_owned()), Some(false), "it is watched already");
        assert_eq!(watched.add("b://0".to_owned()), None);
        watched.remove("a://0");
        assert_eq!(watched.add("b://0".to_owned()), Some(false));
    }

    #[test]
    fn limits_the_bytes_of_uris() {
        let watched = WatchedUris::default();
        let long = |n: usize| format!("a://{n}/{}", "x".repeat(100_000));
        let kept = (0..MOST_WATCHED).take_while(|n| watched.add(long(*n)).is_some()).count();
        assert!((1..=10).contains(&kept), "{kept}");
        assert_eq!(watched.add(long(0)), Some(false), "it is watched already");
        watched.remove(&long(0));
        assert_eq!(watched.add(long(11)), Some(false));
        assert_eq!(watched.add(long(0)), None);
        assert_eq!(watched.add("a://1".to_owned()), Some(false));
    }

    #[test]
    fn does_not_count_a_rejected_uri() {
        let watched = WatchedUris::default();
        assert_eq!(watched.add(format!("a://{}", "x".repeat(MOST_URI_BYTES))), None);
        assert_eq!(watched.add("a://0".to_owned()), Some(true), "it is the first resource");
    }
}
