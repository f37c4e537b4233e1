//! The identifier of one call.

use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identifier of one call: 16 hexadecimal digits, unique within a process and very likely unique across processes.
///
/// ```
/// use tool_core::CallId;
///
/// assert_ne!(CallId::new(), CallId::new());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId(u64);

const HEXADECIMAL: [u8; 16] = *b"0123456789abcdef";

impl CallId {
    /// Creates a new identifier.
    ///
    /// ```
    /// println!("{}", tool_core::CallId::new());
    /// ```
    #[expect(clippy::new_without_default, reason = "two new identifiers differ, which no default does")]
    pub fn new() -> Self {
        static START: OnceLock<u64> = OnceLock::new();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Seeded by the system, because not every target has a clock or process IDs.
        let start = START.get_or_init(|| RandomState::new().build_hasher().finish());
        CallId(start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the machinery of `{:016x}`: every reply of an adapter has one.
        let digits = self
            .0
            .to_be_bytes()
            .map(|byte| [byte >> 4, byte & 15].map(|digit| HEXADECIMAL[usize::from(digit)]));
        f.write_str(str::from_utf8(digits.as_flattened()).unwrap_or_default())
    }
}

#[cfg(feature = "tasks")]
impl serde::Serialize for CallId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "tasks")]
impl<'de> serde::Deserialize<'de> for CallId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(CallId).map_err(serde::de::Error::custom)
    }
}
