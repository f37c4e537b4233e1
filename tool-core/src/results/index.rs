//! The index of a storage: entries with their owner and expiry.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::access::Principal;
use crate::model::digest::Digest;
use crate::results::storage::StoredObject;

/// The owner and the digest of a result. Two callers with the same result have two names, so that neither can detect what
/// the other has stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResultName {
    owner: Digest,
    pub(super) digest: Digest,
}

impl ResultName {
    pub(super) fn new(principal: &Principal, digest: Digest) -> Self {
        let owner = match principal.id() {
            Some(id) => Digest::of_bytes(format!("principal {id}").as_bytes()),
            // All anonymous callers share one owner.
            None => Digest::of_bytes(b"anonymous"),
        };
        ResultName { owner, digest }
    }

    /// Returns the name of the entry in the storage.
    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.owner.hex(), self.digest.hex())
    }

    fn parse(path: &str) -> Option<Self> {
        let (owner, digest) = path.split_once('/')?;
        let name = ResultName { owner: owner.parse().ok()?, digest: digest.parse().ok()? };
        // Other spellings of the digest, such as `blake3:`, are rejected.
        (name.path() == path).then_some(name)
    }
}

/// The stored results, oldest first, timed by a monotonic clock.
#[derive(Debug, Default)]
pub(super) struct StoreIndex {
    entries: HashMap<ResultName, IndexEntry>,
    /// By insertion.
    order: BTreeMap<u64, ResultName>,
    /// The share of each owner.
    shares: HashMap<Digest, Share>,
    next: u64,
    total: u64,
}

#[derive(Debug, Default)]
struct Share {
    bytes: u64,
    order: BTreeMap<u64, ResultName>,
}

#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    bytes: u64,
    expires: Instant,
    sequence: u64,
}

impl StoreIndex {
    /// Builds the index of a storage with results of earlier processes. An entry with an invalid age expires after at most `age`.
    pub(super) fn of(mut objects: Vec<StoredObject>, age: Duration) -> Self {
        let now = Instant::now();
        objects.sort_by_key(|object| std::cmp::Reverse(object.age));
        let mut index = StoreIndex::default();
        for object in objects {
            // Foreign entries are ignored.
            if let Some(name) = ResultName::parse(&object.name) {
                index.insert(name, object.bytes, now + age.saturating_sub(object.age));
            }
        }
        index
    }

    pub(super) fn insert(&mut self, name: ResultName, bytes: u64, expires: Instant) {
        self.remove(&name);
        let sequence = self.next;
        self.next += 1;
        self.total += bytes;
        self.order.insert(sequence, name);
        let share = self.shares.entry(name.owner).or_default();
        share.bytes += bytes;
        share.order.insert(sequence, name);
        self.entries.insert(name, IndexEntry { bytes, expires, sequence });
    }

    pub(super) fn remove(&mut self, name: &ResultName) {
        if let Some(entry) = self.entries.remove(name) {
            self.order.remove(&entry.sequence);
            self.total -= entry.bytes;
            let share = self.shares.entry(name.owner).or_default();
            share.bytes -= entry.bytes;
            share.order.remove(&entry.sequence);
            if share.order.is_empty() {
                self.shares.remove(&name.owner);
            }
        }
    }

    /// Returns how long the result stays stored; `None` if it is unknown.
    pub(super) fn left(&self, name: &ResultName) -> Option<Duration> {
        self.entries.get(name).map(|entry| entry.expires.saturating_duration_since(Instant::now()))
    }

    /// Returns the next entry to delete so that `more` bytes that replace `replaced` fit into `total`: an expired entry, or
    /// the oldest entry of the owner with the most bytes.
    pub(super) fn surplus(&self, total: u64, more: u64, replaced: Option<&ResultName>) -> Option<ResultName> {
        let stays = |name: &&ResultName| Some(*name) == replaced;
        let oldest = self.order.values().find(|name| !stays(name))?;
        if self.entries.get(oldest).is_some_and(|entry| entry.expires <= Instant::now()) {
            return Some(*oldest);
        }
        let freed = replaced.and_then(|name| self.entries.get(name)).map_or(0, |entry| entry.bytes);
        if (self.total - freed).saturating_add(more) <= total {
            return None;
        }
        let parts = self.shares.iter().filter_map(|(owner, share)| {
            let (sequence, oldest) = share.order.iter().find(|(_, name)| !stays(name))?;
            let is_writer = replaced.is_some_and(|name| name.owner == *owner);
            let bytes = if is_writer { (share.bytes - freed).saturating_add(more) } else { share.bytes };
            Some((bytes, std::cmp::Reverse(*sequence), *oldest))
        });
        parts.max_by_key(|(bytes, sequence, _)| (*bytes, *sequence)).map(|(.., oldest)| oldest)
    }

    /// Returns when the next entry expires.
    pub(super) fn next_end(&self) -> Option<Instant> {
        let (_, oldest) = self.order.first_key_value()?;
        self.entries.get(oldest).map(|entry| entry.expires)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: u64 = 100;

    fn name(owner: &str, number: u64) -> ResultName {
        ResultName::new(&Principal::new(owner), Digest::of_bytes(&number.to_le_bytes()))
    }

    /// Returns an index of these entries, in this order.
    fn index(stored: &[(ResultName, u64)]) -> StoreIndex {
        let mut index = StoreIndex::default();
        for (name, bytes) in stored {
            index.insert(*name, *bytes, Instant::now() + Duration::from_secs(3600));
        }
        index
    }

    #[test]
    fn evicts_the_oldest_of_equal_shares() {
        let (ada, bob) = (name("ada", 1), name("bob", 2));
        for stored in [[(ada, 50), (bob, 50)], [(bob, 50), (ada, 50)]] {
            assert_eq!(index(&stored).surplus(TOTAL, 30, Some(&name("carol", 3))), Some(stored[0].0));
        }
    }

    #[test]
    fn counts_the_new_result_in_its_share() {
        let (ada, bob) = (name("ada", 1), name("bob", 2));
        let index = index(&[(ada, 50), (bob, 50)]);
        assert_eq!(index.surplus(TOTAL, 20, Some(&name("bob", 3))), Some(bob));
    }

    #[test]
    fn does_not_evict_the_replaced_result() {
        let (ada, bob) = (name("ada", 1), name("bob", 2));
        let index = index(&[(bob, 60), (ada, 20)]);
        assert_eq!(index.surplus(TOTAL, 80, Some(&bob)), None);
        assert_eq!(index.surplus(TOTAL, 90, Some(&bob)), Some(ada));
    }

    #[test]
    fn ignores_removed_results() {
        let (ada, bob) = (name("ada", 1), name("bob", 3));
        let mut index = index(&[(ada, 10), (name("ada", 2), 80), (bob, 50)]);
        index.remove(&name("ada", 2));
        assert_eq!(index.surplus(TOTAL, 50, Some(&name("carol", 4))), Some(bob));
        index.remove(&ada);
        index.remove(&bob);
        assert!(index.shares.is_empty() && index.order.is_empty() && index.total == 0);
    }
}
