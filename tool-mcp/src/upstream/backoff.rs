//! Pauses between attempts to connect.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Exponential backoff with jitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backoff {
    pub(super) first: Duration,
    pub(super) longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Backoff { first: Duration::from_millis(250), longest: Duration::from_secs(60) }
    }
}

impl Backoff {
    /// Returns the pause after `failed` consecutive failures: random, between half and all of the exponential pause.
    pub(super) fn pause(self, failed: u32) -> Duration {
        self.pause_with(failed, random())
    }

    fn pause_with(self, failed: u32, random: f64) -> Duration {
        let factor = 2_u32.saturating_pow(failed.saturating_sub(1).min(30));
        let whole = self.first.saturating_mul(factor).min(self.longest);
        whole.mul_f64(0.5 + random / 2.0)
    }
}

/// Returns a random number from 0 up to 1, not for cryptography.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    #[expect(clippy::cast_precision_loss, reason = "a float holds all 53 bits")]
    let random = bits as f64 / (1_u64 << 53) as f64;
    random
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_pauses_up_to_the_limit() {
        let backoff = Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(1) };
        let pauses: Vec<u128> = (1..=6).map(|failed| backoff.pause_with(failed, 1.0).as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1000, 1000]);
        assert_eq!(backoff.pause_with(u32::MAX, 1.0), Duration::from_secs(1));
        assert_eq!(backoff.pause_with(1, 0.0), Duration::from_millis(50), "at least half of the pause");
    }

    #[test]
    fn randomizes_pauses() {
        let pauses: Vec<Duration> = (0..20).map(|_| Backoff::default().pause(9)).collect();
        assert!(pauses.iter().any(|pause| *pause != pauses[0]), "{pauses:?}");
        assert!(pauses.iter().all(|pause| (30..=60).contains(&pause.as_secs())), "{pauses:?}");
    }
}
