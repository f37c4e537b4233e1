//! BLAKE3 digests: of definitions, as canonical JSON, and of stored results and audited arguments.

use crate::schema::json::canonical::canonical;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::schema::json::canonical::canonical_object;

/// A BLAKE3 digest. That of a definition is equal on every machine, and different after any change of the public contract of a
/// tool.
///
/// Its text form is `blake3:` and 64 hexadecimal digits. The input is canonical JSON (RFC 8785), except that integers
/// beyond 2^53 are exact.
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
    /// Computes the digest of a JSON value.
    ///
    /// ```
    /// let digest = tool_core::Digest::of(&serde_json::Value::Null);
    /// assert_eq!(digest.to_string().len(), 7 + 64);
    /// ```
    pub fn of(value: &Value) -> Self {
        Digest(blake3::hash(canonical(value).as_bytes()))
    }

    /// Computes the digest of an object with these members, whose names are distinct.
    pub(crate) fn of_members<'v>(members: impl Iterator<Item = (&'v str, &'v Value)>) -> Self {
        Digest(blake3::hash(canonical_object(members).as_bytes()))
    }

    /// Computes the digest of bytes.
    ///
    /// ```
    /// use tool_core::Digest;
    ///
    /// assert_ne!(Digest::of_bytes(b"[1, 2]"), Digest::of_bytes(b"[1,2]"));
    /// ```
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Digest(blake3::hash(bytes))
    }

    /// Returns the 64 hexadecimal digits in lower case.
    ///
    /// ```
    /// assert_eq!(tool_core::Digest::of_bytes(b"").hex().len(), 64);
    /// ```
    pub fn hex(&self) -> String {
        self.0.to_hex().to_string()
    }

    /// Computes the digest of all tools and prompts from their digests, sorted by name.
    pub(crate) fn of_all(
        tools: impl IntoIterator<Item = String>,
        prompts: impl IntoIterator<Item = String>,
    ) -> Self {
        // Distinguishes a prompt from a tool of the same name.
        let prompts = prompts.into_iter().map(|digest| format!("prompt {digest}"));
        Digest::of(&tools.into_iter().chain(prompts).map(Value::from).collect())
    }

    /// Computes the keyed digest of bytes.
    pub(crate) fn keyed(key: &[u8; 32], bytes: &[u8]) -> Self {
        Digest(blake3::keyed_hash(key, bytes))
    }
}

/// Parses the text form, with or without `blake3:`. There is one spelling: no upper case, no spaces, no escapes.
///
/// ```
/// use tool_core::Digest;
///
/// let digest = Digest::of_bytes(b"sunny");
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// assert_eq!(digest.hex().parse(), Ok(digest));
/// assert!(digest.hex().to_uppercase().parse::<Digest>().is_err());
/// ```
impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("blake3:").unwrap_or(text);
        let is_lower_case = !digits.contains(|digit: char| digit.is_ascii_uppercase());
        let hash = blake3::Hash::from_hex(digits).ok().filter(|_| is_lower_case);
        hash.map(Digest).ok_or(ParseDigestError)
    }
}

/// The error for a text that is not a digest.
///
/// ```
/// let error = "blake3:0".parse::<tool_core::Digest>().unwrap_err();
/// assert_eq!(error.to_string(), "a digest is 64 hexadecimal digits in lower case");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits in lower case")]
pub struct ParseDigestError;

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
