//! Keys and tokens: their source, and masking.

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::model::{Auth, Provider};

/// The prefix of variables with secrets, so that an untrusted description cannot read other variables.
pub const PREFIX: &str = "CATALOGUE_KEY_";

/// The replacement of a secret in logs and outputs.
pub const MASK: &str = "(secret)";

/// Shorter secrets cannot be masked, because they occur by chance. A shorter key is refused.
const SHORTEST: usize = 4;

/// A key or token.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Reads the secret of a service from the environment; `None` if the service needs none.
    ///
    /// # Errors
    ///
    /// When the variable is not set, or too short to be masked.
    pub fn of(provider: &Provider) -> Result<Option<Self>, SecretError> {
        if provider.auth == Auth::None {
            return Ok(None);
        }
        let variable = provider.secret_variable.clone().unwrap_or_default();
        match env::var(&variable).ok().filter(|text| is_variable(&variable) && !text.is_empty()) {
            Some(text) if text.len() < SHORTEST => Err(SecretError::Short { variable }),
            Some(text) => Ok(Some(Secret(text))),
            None => Err(SecretError::Missing { variable }),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// Masks the text.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Secret(text.to_owned())
    }
}

/// The error for a service whose secret cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// It is not set.
    #[error("the variable `{variable}` of the environment is not set")]
    Missing {
        /// The name of the variable.
        variable: String,
    },
    /// It is too short to be masked.
    #[error(
        "the variable `{variable}` of the environment has fewer than {SHORTEST} bytes, and could not be masked in answers"
    )]
    Short {
        /// The name of the variable.
        variable: String,
    },
}

/// Returns `true` if a variable of this name may hold a secret.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    let allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !rest.is_empty() && rest.bytes().all(allowed)
}

/// A filter that masks secrets.
///
/// ```
/// use catalogue::secret::Scrubber;
///
/// let scrubber = Scrubber::of(["s3cret/key"]);
/// assert_eq!(scrubber.scrub("GET /?key=s3cret%2Fkey (s3cret/key)"), "GET /?key=(secret) ((secret))");
/// ```
#[derive(Clone, Default)]
pub struct Scrubber {
    /// Every encoding of the secrets, sorted.
    spellings: Vec<String>,
    /// Finds all spellings in one pass; `None` without spellings.
    automaton: Option<NFA>,
}

impl Scrubber {
    /// Creates a scrubber for these secrets, also in URL and JSON encoding.
    pub fn of(secrets: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut spellings = Vec::new();
        for secret in secrets {
            let secret = secret.as_ref();
            if secret.len() < SHORTEST {
                continue;
            }
            let json = serde_json::Value::from(secret).to_string();
            spellings.push(secret.to_owned());
            spellings.push(json[1..json.len() - 1].to_owned());
            for encoded in [
                utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string(),
                utf8_percent_encode(secret, crate::endpoint::UNRESERVED).to_string(),
                form(secret),
            ] {
                spellings.push(in_lower_case(&encoded));
                spellings.push(encoded);
            }
        }
        spellings.sort();
        spellings.dedup();
        let automaton = (!spellings.is_empty()).then(|| {
            NFA::new(&spellings).unwrap_or_else(|error| unreachable!("secrets are far below 2 GiB: {error}"))
        });
        Scrubber { spellings, automaton }
    }

    /// Returns the text with secrets masked.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.scrub_bytes(text.as_bytes())).into_owned()
    }

    /// Returns the bytes with secrets masked.
    #[must_use]
    pub fn scrub_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut scrubbed = Vec::with_capacity(bytes.len());
        let mut rest = 0;
        for range in self.ranges(bytes) {
            scrubbed.extend_from_slice(&bytes[rest..range.start]);
            scrubbed.extend_from_slice(MASK.as_bytes());
            rest = range.end;
        }
        scrubbed.extend_from_slice(&bytes[rest..]);
        scrubbed
    }

    /// Returns `true` if a text equals a secret.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.spellings.binary_search_by(|spelling| spelling.as_str().cmp(text)).is_ok()
    }

    /// Returns `true` if a text contains a secret.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        !self.ranges(text.as_bytes()).is_empty()
    }

    /// Returns where secrets are. Those that overlap are one: to mask one of them would uncover the rest of the other.
    fn ranges(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let Some(automaton) = &self.automaton else { return ranges };
        let start = automaton.start_state(Anchored::No);
        let mut state = start.unwrap_or_else(|error| unreachable!("it searches anywhere: {error}"));
        let mut longest = HashMap::new();
        for (byte, end) in bytes.iter().zip(1..) {
            state = automaton.next_state(Anchored::No, state, *byte);
            if !automaton.is_match(state) {
                continue;
            }
            let length = *longest.entry(state).or_insert_with(|| longest_match(automaton, state));
            let mut range = end - length..end;
            while let Some(last) = ranges.pop_if(|last| last.end > range.start) {
                range.start = range.start.min(last.start);
            }
            ranges.push(range);
        }
        ranges
    }
}

/// Returns the length of the longest spelling that ends in a state.
fn longest_match(automaton: &NFA, state: StateID) -> usize {
    let lengths = (0..automaton.match_len(state)).map(|index| automaton.match_pattern(state, index));
    lengths.map(|pattern| automaton.pattern_len(pattern)).max().unwrap_or_default()
}

/// Returns the percent-encoded text with lower-case hex digits.
fn in_lower_case(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        text += &format!("%{}{rest}", digits.to_ascii_lowercase());
    }
    text
}

/// Encodes a secret as form data.
fn form(secret: &str) -> String {
    let mut url = reqwest::Url::parse("http://a.invalid/").unwrap_or_else(|_| unreachable!("it is a URL"));
    url.query_pairs_mut().append_pair("k", secret);
    url.query().and_then(|query| query.strip_prefix("k=")).unwrap_or_default().to_owned()
}

/// Masks the secrets.
impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_dedicated_variables() {
        for (name, accepted) in [
            ("CATALOGUE_KEY_WEATHER", true),
            ("CATALOGUE_KEY_A_1", true),
            ("CATALOGUE_KEY_", false),
            ("CATALOGUE_KEY_lower", false),
            ("AWS_SECRET_ACCESS_KEY", false),
            ("PATH", false),
            ("", false),
        ] {
            assert_eq!(is_variable(name), accepted, "{name}");
        }
    }

    #[test]
    fn masks_secrets_in_every_encoding() {
        let scrubber = Scrubber::of(["a b\"c/d+é", "abc"]);
        for text in [
            "a b\"c/d+é",
            "a b\\\"c/d+é",
            "a%20b%22c%2Fd%2B%C3%A9",
            "a%20b%22c%2fd%2b%c3%a9",
            "a+b%22c%2Fd%2B%C3%A9",
        ] {
            assert_eq!(scrubber.scrub(&format!("<{text}>")), "<(secret)>", "{text}");
            assert!(scrubber.finds(text));
        }
        assert_eq!(scrubber.scrub("abc"), "abc", "too short to distinguish from other words");
        assert_eq!(format!("{scrubber:?} {:?}", Secret::from("hunter2")), "Scrubber { .. } (secret)");
    }

    #[test]
    fn masks_secrets_that_overlap() {
        let scrubber = Scrubber::of(["k-evil-key", "authorization: Bearer k-ev", "evil", "hunter2-hunter2"]);
        for (text, expected) in [
            ("authorization: Bearer k-evil-key!", "(secret)!"),
            ("authorization: Bearer k-evil", "(secret)"),
            ("k-evil-key k-evil-kex", "(secret) k-(secret)-kex"),
            ("k-evil-keyk-evil-key", "(secret)(secret)"),
            ("hunter2-hunter2-hunter2", "(secret)"),
        ] {
            assert_eq!(scrubber.scrub(text), expected, "{text}");
        }
        assert_eq!(scrubber.scrub_bytes(b"\xff\0k-evil-key\xfe"), b"\xff\0(secret)\xfe");
    }
}
