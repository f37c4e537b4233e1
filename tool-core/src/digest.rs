//! Digests that identify what a tool promises: BLAKE3 over canonical JSON.

mod canonical;

use std::fmt;

use serde_json::Value;

pub(crate) use canonical::canonical;

use crate::registry::Registry;

/// The identity of a definition: equal on every machine, and another after any change of what the tool promises.
///
/// Written as `blake3:` and 64 hexadecimal digits, over the JSON in the canonical form of RFC 8785, with integers beyond
/// 2^53 kept exactly.
///
/// ```
/// use tool_core::Digest;
///
/// let a = Digest::of(&serde_json::json!({"b": 1, "a": [1.0]}));
/// let b = Digest::of(&serde_json::json!({"a": [1.0], "b": 1}));
/// assert_eq!(a, b);
/// assert!(a.to_string().starts_with("blake3:"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(blake3::Hash);

impl Digest {
    /// The digest of a JSON value.
    ///
    /// ```
    /// let digest = tool_core::Digest::of(&serde_json::Value::Null);
    /// assert_eq!(digest.to_string().len(), 7 + 64);
    /// ```
    pub fn of(value: &Value) -> Self {
        Digest(blake3::hash(canonical(value).as_bytes()))
    }

    /// The digest of bytes as they are, which only who knows the key can compute.
    pub(crate) fn keyed(key: &[u8; 32], bytes: &[u8]) -> Self {
        Digest(blake3::keyed_hash(key, bytes))
    }
}

impl Registry {
    /// The identity of all tools and prompts together, whoever calls: another when one of them is added, is gone or
    /// promises something else.
    ///
    /// ```
    /// # use tool_core::Registry;
    /// let empty = || Registry::builder().allow_empty().build().unwrap();
    /// assert_eq!(empty().digest(), empty().digest());
    /// ```
    pub fn digest(&self) -> Digest {
        let tools = self.declared().map(|tool| tool.digest().to_string());
        // So that a prompt is no tool of the same name.
        let prompts = self.prompts().map(|prompt| format!("prompt {}", prompt.digest()));
        Digest::of(&tools.chain(prompts).map(Value::from).collect())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}", self.0.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
