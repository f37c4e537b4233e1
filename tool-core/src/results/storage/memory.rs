//! Results in memory.

use object_store::memory::InMemory;

use crate::results::storage::objects::Objects;

/// As long as the program runs.
pub(crate) fn memory() -> Objects<InMemory> {
    Objects(InMemory::new())
}
