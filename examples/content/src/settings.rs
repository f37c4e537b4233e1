//! Settings of the program.

use std::env;
use std::fmt;
use std::fs;

use tool_core::Unmet;

/// The minimum length of a signing key.
const SHORTEST: usize = 16;

/// The configuration of the program.
///
/// ```
/// use content::{Settings, SigningKey};
///
/// assert!(Settings::default().signing_key.is_none());
/// let settings = Settings { signing_key: SigningKey::new("a secret of some length") };
/// assert!(settings.signing_key.is_some());
/// ```
#[derive(Debug, Default)]
pub struct Settings {
    /// The key that signs links and messages.
    pub signing_key: Option<SigningKey>,
}

impl Settings {
    /// Reads the settings from `CONTENT_SIGNING_KEY`, or from the file that `CONTENT_SIGNING_KEY_FILE` names.
    ///
    /// # Errors
    ///
    /// When the key is too short or not UTF-8, or its file cannot be read.
    pub fn from_environment() -> Result<Self, String> {
        let set = (env::var_os("CONTENT_SIGNING_KEY"), env::var_os("CONTENT_SIGNING_KEY_FILE"));
        let (name, text) = match set {
            (Some(text), _) => {
                let no_text = |_| "CONTENT_SIGNING_KEY: it is not UTF-8".to_owned();
                ("CONTENT_SIGNING_KEY", text.into_string().map_err(no_text)?)
            }
            (_, Some(file)) => {
                let text = fs::read_to_string(&file)
                    .map_err(|error| format!("the signing key in {}: {error}", file.display()))?;
                ("CONTENT_SIGNING_KEY_FILE", text)
            }
            _ => return Ok(Self::default()),
        };
        match SigningKey::new(text.trim()) {
            Some(key) => Ok(Self { signing_key: Some(key) }),
            None => Err(format!("{name}: a signing key has at least {SHORTEST} characters")),
        }
    }
}

/// A secret that is masked in every output.
#[derive(Clone)]
pub struct SigningKey([u8; 32]);

impl SigningKey {
    /// Derives a key from a text; `None` if the text is too short.
    ///
    /// ```
    /// assert!(content::SigningKey::new("too short").is_none());
    /// ```
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let long_enough = text.chars().count() >= SHORTEST;
        long_enough.then(|| Self(blake3::derive_key("tool content example 2026-03 signing", text.as_bytes())))
    }

    /// Returns the signature of a message, in hexadecimal.
    ///
    /// ```
    /// let key = content::SigningKey::new("a secret of some length").unwrap();
    /// assert!(key.verifies("hello", &key.sign("hello")));
    /// assert!(!key.verifies("hallo", &key.sign("hello")));
    /// ```
    #[must_use]
    pub fn sign(&self, message: &str) -> String {
        blake3::keyed_hash(&self.0, message.as_bytes()).to_hex().to_string()
    }

    /// Verifies the signature of a message in constant time.
    #[must_use]
    pub fn verifies(&self, message: &str, signature: &str) -> bool {
        let expected = blake3::keyed_hash(&self.0, message.as_bytes());
        blake3::Hash::from_hex(signature).is_ok_and(|given| given == expected)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The requirement of tools that sign.
pub(crate) fn signing_key(settings: &Settings) -> Result<(), Unmet> {
    match settings.signing_key {
        Some(_) => Ok(()),
        None => Err(Unmet::new(format!(
            "set CONTENT_SIGNING_KEY to a secret of at least {SHORTEST} characters, to sign with"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_the_key_in_debug_output() {
        let settings = Settings { signing_key: SigningKey::new("correct horse battery") };
        assert_eq!(format!("{settings:?}"), "Settings { signing_key: Some(SigningKey) }");
    }

    #[test]
    fn verifies_signatures_by_key_and_message() {
        let key = SigningKey::new("correct horse battery").unwrap();
        let other = SigningKey::new("correct horse batterie").unwrap();
        let signature = key.sign("node 1");
        assert!(key.verifies("node 1", &signature));
        assert!(!other.verifies("node 1", &signature));
        assert!(!key.verifies("node 2", &signature));
        for wrong in ["", "00", &signature[1..], &signature.replace(|c: char| c.is_ascii_digit(), "z")] {
            assert!(!key.verifies("node 1", wrong), "{wrong}");
        }
    }
}
