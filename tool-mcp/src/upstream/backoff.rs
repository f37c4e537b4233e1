//! How long to wait before a server is tried again.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Twice as long each time, up to a limit, and never at the same moment as everybody else.
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
    /// The pause after so many attempts that failed one after the other: between a half of its share and the whole.
    pub(super) fn pause(self, failed: u32) -> Duration {
        self.at(failed, random())
    }

    fn at(self, failed: u32, random: f64) -> Duration {
        let factor = 2_u32.saturating_pow(failed.saturating_sub(1).min(30));
        let whole = self.first.saturating_mul(factor).min(self.longest);
        whole.mul_f64(0.5 + random / 2.0)
    }
}

/// A number from 0 up to 1, which is all the better the less it is repeated and need not be secret.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    #[expect(clippy::cast_precision_loss, reason = "it has the 53 bits that a float holds")]
    let random = bits as f64 / (1_u64 << 53) as f64;
    random
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_pauses_up_to_the_limit() {
        let backoff = Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(1) };
        let pauses: Vec<u128> = (1..=6).map(|failed| backoff.at(failed, 1.0).as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1000, 1000]);
        assert_eq!(backoff.at(u32::MAX, 1.0), Duration::from_secs(1));
        assert_eq!(backoff.at(1, 0.0), Duration::from_millis(50), "at least half of the pause");
    }

    #[test]
    fn randomizes_pauses() {
        let pauses: Vec<Duration> = (0..20).map(|_| Backoff::default().pause(9)).collect();
        assert!(pauses.iter().any(|pause| *pause != pauses[0]), "{pauses:?}");
        assert!(pauses.iter().all(|pause| (30..=60).contains(&pause.as_secs())), "{pauses:?}");
    }
}
