//! Where each tool stands, by its name.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Positions of tools by their names.
pub(super) type Positions = HashMap<String, usize, BuildHasherDefault<NameHasher>>;

/// FNV-1a, for which short texts are cheap. The names in the table come from the application, so that no caller can
/// choose them to collide.
#[derive(Debug)]
pub(super) struct NameHasher(u64);

impl Default for NameHasher {
    fn default() -> Self {
        NameHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
