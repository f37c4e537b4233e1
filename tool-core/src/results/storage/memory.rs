//! Results in memory.

use object_store::memory::InMemory;

use crate::results::storage::objects::Objects;

/// Creates a storage in memory.
pub(crate) fn memory() -> Objects<InMemory> {
    Objects(InMemory::new())
}
