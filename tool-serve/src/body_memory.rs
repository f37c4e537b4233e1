//! The memory of request bodies, which all servers of a process share.

use std::cmp::min;

use bytes::Bytes;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The size in bytes of all large bodies that may be in memory at once.
pub const BODY_MEMORY: usize = 64 * 1024 * 1024;

/// The size in bytes up to which a body is not counted: those of all connections together are small.
const UNCOUNTED: usize = 64 * 1024;

static MEMORY: Semaphore = Semaphore::const_new(BODY_MEMORY);

/// The memory of one body, which is free again when this is dropped.
#[derive(Debug, Default)]
pub(super) struct BodyMemory(Option<SemaphorePermit<'static>>);

/// Bytes with their memory.
struct Counted {
    bytes: Bytes,
    _memory: BodyMemory,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl BodyMemory {
    /// Takes memory for a body that has grown to this size. Returns `false` if other bodies need it.
    ///
    /// A body above [`BODY_MEMORY`] needs all of it.
    pub(super) fn grow(&mut self, size: usize) -> bool {
        if size <= UNCOUNTED {
            return true;
        }
        let has = self.0.as_ref().map_or(0, SemaphorePermit::num_permits);
        let more = min(size, BODY_MEMORY).saturating_sub(has);
        let Some(permit) = u32::try_from(more).ok().and_then(|more| MEMORY.try_acquire_many(more).ok())
        else {
            return false;
        };
        match &mut self.0 {
            Some(held) => held.merge(permit),
            None => self.0 = Some(permit),
        }
        true
    }

    /// Keeps the memory until the last clone of the bytes is dropped.
    pub(super) fn keep_for(self, bytes: Bytes) -> Bytes {
        match self.0 {
            Some(_) => Bytes::from_owner(Counted { bytes, _memory: self }),
            None => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since the memory is that of the process.
    #[test]
    fn is_shared_by_large_bodies() {
        let (mut first, mut second, mut small) =
            (BodyMemory::default(), BodyMemory::default(), BodyMemory::default());
        assert!(first.grow(UNCOUNTED + 1) && first.grow(BODY_MEMORY - UNCOUNTED));
        assert!(second.grow(UNCOUNTED) && !second.grow(UNCOUNTED + 1));
        // One that needs more than there is takes all.
        assert!(first.grow(BODY_MEMORY) && first.grow(3 * BODY_MEMORY));
        assert!(small.grow(1));
        let bytes = first.keep_for(Bytes::from_static(b"large"));
        let part = bytes.slice(1..);
        drop(bytes);
        assert!(!second.grow(BODY_MEMORY));
        drop(part);
        assert!(second.grow(BODY_MEMORY));
    }
}
