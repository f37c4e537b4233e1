//! When keys are fetched, and how long they are kept.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::keys::KeySet;

/// The time between two attempts to fetch keys, however many requests need them.
const INTERVAL: Duration = Duration::from_secs(30);

/// The time between two attempts while there are no keys at all.
const FIRST_INTERVAL: Duration = Duration::from_secs(1);

/// How long keys are fresh if the issuer does not say it.
const FRESH: Duration = Duration::from_secs(15 * 60);

/// How long keys are kept while the issuer is down, and the longest time that they can be fresh.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The keys of an issuer at this moment. Methods are given the time.
#[derive(Debug, Default)]
pub(crate) struct KeyCache {
    loaded: Option<Loaded>,
    /// When keys were last asked for.
    attempted: Option<Instant>,
    /// Why the last attempt failed.
    failure: Option<String>,
    /// Ends when the running attempt does.
    in_flight: Option<watch::Receiver<()>>,
}

#[derive(Debug)]
struct Loaded {
    keys: Arc<KeySet>,
    /// Where they are from, and when this was found out.
    endpoint: (Url, Instant),
    at: Instant,
    fresh_for: Duration,
}

/// Whether keys must be fetched.
#[derive(Debug)]
pub(crate) enum Refresh {
    No,
    /// Wait for the running attempt.
    Wait(watch::Receiver<()>),
    /// Begin an attempt, which ends when the sender is dropped.
    Begin(watch::Sender<()>, watch::Receiver<()>),
}

/// Keys that were fetched.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) keys: KeySet,
    pub(crate) endpoint: (Url, Instant),
    pub(crate) max_age: Option<Duration>,
}

impl KeyCache {
    /// Returns the keys, if there are any that are not too old.
    pub(crate) fn keys(&self, now: Instant) -> Option<Arc<KeySet>> {
        self.usable(now).map(|loaded| Arc::clone(&loaded.keys))
    }

    /// Returns the address of the keys, unless it must be looked up again.
    pub(crate) fn endpoint(&self, now: Instant) -> Option<(Url, Instant)> {
        let endpoint = self.loaded.as_ref().map(|loaded| &loaded.endpoint).filter(|_| self.failure.is_none());
        endpoint.filter(|(_, found)| now.duration_since(*found) < KEPT).cloned()
    }

    /// Returns why there may be newer keys that could not be fetched.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Decides whether keys must be fetched: for a key that is not known, or because they are not fresh.
    pub(crate) fn refresh(&mut self, is_unknown: bool, now: Instant) -> Refresh {
        // An attempt that panicked has dropped its sender, too.
        let in_flight = self.in_flight.as_ref().filter(|in_flight| in_flight.has_changed().is_ok());
        if let Some(in_flight) = in_flight {
            return if is_unknown { Refresh::Wait(in_flight.clone()) } else { Refresh::No };
        }
        let usable = self.usable(now);
        let is_fresh = usable.is_some_and(|loaded| now.duration_since(loaded.at) < loaded.fresh_for);
        let interval = if usable.is_some() { INTERVAL } else { FIRST_INTERVAL };
        let is_due = self.attempted.is_none_or(|attempted| now.duration_since(attempted) >= interval);
        if !is_due || is_fresh && !is_unknown {
            return Refresh::No;
        }
        let (sender, receiver) = watch::channel(());
        (self.attempted, self.in_flight) = (Some(now), Some(receiver.clone()));
        Refresh::Begin(sender, receiver)
    }

    /// Ends an attempt. Keys stay if it failed.
    pub(crate) fn finish(&mut self, fetched: Result<Fetched, String>, now: Instant) {
        self.in_flight = None;
        match fetched {
            Ok(Fetched { keys, endpoint, max_age }) => {
                let fresh_for = max_age.unwrap_or(FRESH).min(KEPT);
                self.loaded = Some(Loaded { keys: Arc::new(keys), endpoint, at: now, fresh_for });
                self.failure = None;
            }
            Err(reason) => self.failure = Some(reason),
        }
    }

    fn usable(&self, now: Instant) -> Option<&Loaded> {
        self.loaded.as_ref().filter(|loaded| now.duration_since(loaded.at) < KEPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(max_age: Option<u64>, now: Instant) -> Result<Fetched, String> {
        let endpoint = (Url::parse("https://id.example.org/keys").unwrap(), now);
        Ok(Fetched { keys: KeySet::default(), endpoint, max_age: max_age.map(Duration::from_secs) })
    }

    /// Begins an attempt and ends it; `false` if none is due.
    fn attempt(cache: &mut KeyCache, is_unknown: bool, now: Instant, ended: Result<Fetched, String>) -> bool {
        let begins = matches!(cache.refresh(is_unknown, now), Refresh::Begin(..));
        if begins {
            cache.finish(ended, now);
        }
        begins
    }

    #[test]
    fn fetches_once_in_half_a_minute_for_unknown_keys() {
        let (mut cache, start) = (KeyCache::default(), Instant::now());
        assert!(attempt(&mut cache, true, start, fetched(None, start)));
        let due = |cache: &mut KeyCache, seconds| {
            let now = start + Duration::from_secs(seconds);
            attempt(cache, true, now, fetched(None, now))
        };
        let attempts: Vec<u64> = (0..120).filter(|seconds| due(&mut cache, *seconds)).collect();
        assert_eq!(attempts, [30, 60, 90]);
    }

    #[test]
    fn fetches_again_when_keys_are_no_longer_fresh() {
        for (max_age, expected) in [(Some(100), 100), (None, 900), (Some(0), 30), (Some(10_000_000), 86_400)]
        {
            let (mut cache, start) = (KeyCache::default(), Instant::now());
            assert!(attempt(&mut cache, true, start, fetched(max_age, start)));
            let is_due = |cache: &mut KeyCache, seconds| {
                let now = start + Duration::from_secs(seconds);
                attempt(cache, false, now, fetched(max_age, now))
            };
            assert!(!is_due(&mut cache, expected - 1), "{max_age:?}");
            assert!(is_due(&mut cache, expected), "{max_age:?}");
        }
    }

    #[test]
    fn keeps_keys_for_a_day_while_the_issuer_is_down() {
        let (mut cache, start) = (KeyCache::default(), Instant::now());
        assert!(attempt(&mut cache, true, start, fetched(None, start)));
        let later = start + KEPT - Duration::from_secs(1);
        assert!(attempt(&mut cache, false, later, Err("down".to_owned())));
        assert!(cache.keys(later).is_some());
        assert_eq!(cache.failure(), Some("down"));
        // The address of the keys may have changed.
        assert!(cache.endpoint(later).is_none());
        let too_late = start + KEPT;
        assert!(cache.keys(too_late).is_none());
        assert!(attempt(&mut cache, true, too_late, fetched(None, too_late)));
        assert!(cache.keys(too_late).is_some() && cache.failure().is_none());
    }

    #[test]
    fn waits_for_the_running_attempt() {
        let (mut cache, now) = (KeyCache::default(), Instant::now());
        let Refresh::Begin(sender, receiver) = cache.refresh(true, now) else { panic!("none is due") };
        let later = now + Duration::from_secs(100);
        assert!(matches!(cache.refresh(true, later), Refresh::Wait(_)));
        // Whoever has its key does not wait.
        assert!(matches!(cache.refresh(false, later), Refresh::No));
        // One that ended without a word is forgotten.
        drop((sender, receiver));
        assert!(matches!(cache.refresh(true, later), Refresh::Begin(..)));
    }

    #[test]
    fn tries_again_soon_while_there_are_no_keys() {
        let (mut cache, start) = (KeyCache::default(), Instant::now());
        assert!(attempt(&mut cache, true, start, Err("down".to_owned())));
        assert!(!attempt(&mut cache, true, start + Duration::from_millis(999), fetched(None, start)));
        let later = start + Duration::from_secs(1);
        assert!(attempt(&mut cache, true, later, fetched(None, later)));
    }
}
