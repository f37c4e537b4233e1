//! The resources that a client has subscribed to.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::sync::lock;

/// The most resources that one client may subscribe to.
pub(crate) const MOST_SUBSCRIBED: usize = 1024;

/// The most bytes that their URIs may have.
pub(crate) const MOST_URI_BYTES: usize = 1 << 20;

/// The URIs of resources that a client has subscribed to; `None` before its first subscription.
#[derive(Debug, Default)]
pub(crate) struct SubscribedUris(Mutex<Option<BTreeSet<String>>>);

/// How the URIs have changed.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// Whether there were none before, ever.
    pub(crate) is_first: bool,
    pub(crate) added: BTreeSet<String>,
}

impl SubscribedUris {
    /// Subscribes to these, up to the limits.
    pub(crate) fn of(uris: impl IntoIterator<Item = String>) -> Self {
        let subscribed = SubscribedUris::default();
        for uri in uris {
            let _ = subscribed.add(uri);
        }
        subscribed
    }

    /// Adds a URI. Returns `None` if there are too many, and otherwise whether it is the first one ever.
    pub(crate) fn add(&self, uri: String) -> Option<bool> {
        let mut subscribed = lock(&self.0);
        let none = BTreeSet::new();
        let uris = subscribed.as_ref().unwrap_or(&none);
        let bytes = uris.iter().map(String::len).sum::<usize>() + uri.len();
        if !uris.contains(&uri) && (uris.len() >= MOST_SUBSCRIBED || bytes > MOST_URI_BYTES) {
            return None;
        }
        let is_first = subscribed.is_none();
        subscribed.get_or_insert_default().insert(uri);
        Some(is_first)
    }

    pub(crate) fn remove(&self, uri: &str) {
        if let Some(uris) = &mut *lock(&self.0) {
            uris.remove(uri);
        }
    }

    /// Subscribes to these instead.
    pub(crate) fn replace(&self, uris: &BTreeSet<String>) -> Replaced {
        let mut subscribed = lock(&self.0);
        let is_first = subscribed.is_none() && !uris.is_empty();
        let former = subscribed.take_if(|former| former != uris);
        let added = match &former {
            Some(former) => uris.difference(former).cloned().collect(),
            None if is_first => uris.clone(),
            None => BTreeSet::new(),
        };
        if is_first || former.is_some() {
            *subscribed = Some(uris.clone());
        }
        Replaced { is_first, added }
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
        let subscribed = SubscribedUris::default();
        assert_eq!(subscribed.add("a://0".to_owned()), Some(true));
        for n in 1..MOST_SUBSCRIBED {
            assert_eq!(subscribed.add(format!("a://{n}")), Some(false));
        }
        assert_eq!(subscribed.add("a://0".to_owned()), Some(false), "it is subscribed already");
        assert_eq!(subscribed.add("b://0".to_owned()), None);
        subscribed.remove("a://0");
        assert_eq!(subscribed.add("b://0".to_owned()), Some(false));
    }

    #[test]
    fn limits_the_bytes_of_uris() {
        let subscribed = SubscribedUris::default();
        let long = |n: usize| format!("a://{n}/{}", "x".repeat(100_000));
        let kept = (0..MOST_SUBSCRIBED).take_while(|n| subscribed.add(long(*n)).is_some()).count();
        assert!((1..=10).contains(&kept), "{kept}");
        assert_eq!(subscribed.add(long(0)), Some(false), "it is subscribed already");
        subscribed.remove(&long(0));
        assert_eq!(subscribed.add(long(11)), Some(false));
        assert_eq!(subscribed.add(long(0)), None);
        assert_eq!(subscribed.add("a://1".to_owned()), Some(false));
    }

    #[test]
    fn does_not_count_a_rejected_uri() {
        let subscribed = SubscribedUris::default();
        assert_eq!(subscribed.add("x".repeat(MOST_URI_BYTES + 1)), None);
        assert_eq!(subscribed.add("x".repeat(MOST_URI_BYTES)), Some(true), "it is the first resource");
    }

    #[test]
    fn replaces_all_uris_and_returns_what_was_added() {
        let set = |uris: &[&str]| uris.iter().map(|uri| (*uri).to_owned()).collect::<BTreeSet<_>>();
        let subscribed = SubscribedUris::default();
        for (uris, is_first, added) in [
            (&[][..], false, &[][..]),
            (&["a", "b"], true, &["a", "b"]),
            (&["a", "b"], false, &[]),
            (&["b", "c"], false, &["c"]),
            (&["b"], false, &[]),
            (&[], false, &[]),
            (&["d"], false, &["d"]),
        ] {
            let replaced = subscribed.replace(&set(uris));
            assert_eq!((replaced.is_first, replaced.added), (is_first, set(added)), "{uris:?}");
            assert_eq!(subscribed.uris(), set(uris));
        }
        // Nothing was subscribed to yet.
        let subscribed = SubscribedUris::default();
        subscribed.replace(&set(&[]));
        assert_eq!(subscribed.add("a".to_owned()), Some(true));
    }
}
