//! What is known of a call between its rounds: it travels with the client, which cannot change it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::Digest;
use tool_core::elicitation::Question;

/// The most bytes that a state may have.
pub(crate) const MOST_BYTES: usize = 256 * 1024;

/// What was asked in a call, and what was answered, by the keys of the questions.
pub(super) type Entries = BTreeMap<String, Entry>;

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Of what is asked.
    #[serde(rename = "d")]
    pub(super) digest: String,
    /// As the client gave it; `None` until then.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Value>,
}

impl Entry {
    pub(super) fn unanswered(question: &Question) -> Self {
        Entry { digest: question.digest().to_string(), answer: None }
    }
}

/// The call that a state is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'s> {
    /// Such as `tools/call`.
    pub(crate) method: &'s str,
    /// The name of the tool or the prompt.
    pub(crate) name: &'s str,
    /// As JSON.
    pub(crate) arguments: &'s [u8],
    /// Who calls.
    pub(crate) principal: Option<&'s str>,
}

/// A state as it is sealed.
#[derive(Serialize, Deserialize)]
struct State {
    method: String,
    name: String,
    arguments: String,
    principal: Option<String>,
    entries: Entries,
}

/// What a seal is made with; not to be shown.
#[derive(Clone, Copy)]
pub(crate) struct Key(pub(crate) [u8; 32]);

impl Key {
    /// One that nobody else knows.
    ///
    /// # Errors
    ///
    /// When the system has no randomness to give.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Key(key))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Seals what is known of a call, and finds out whether what comes back is that.
#[derive(Clone)]
pub(crate) struct Seal {
    codec: RequestStateCodec,
    lifetime: Duration,
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal").field("lifetime", &self.lifetime).finish_non_exhaustive()
    }
}

impl Seal {
    /// With a key that is to be the same wherever the next round may arrive.
    pub(crate) fn new(Key(key): Key, lifetime: Duration) -> Self {
        Seal { codec: RequestStateCodec::new_unchecked(key), lifetime }
    }

    /// How long an answer may take.
    pub(super) fn lifetime(&self) -> Duration {
        self.lifetime
    }

    /// Seals what is known of a call.
    ///
    /// # Errors
    ///
    /// When it is too much.
    pub(super) fn seal(&self, entries: &Entries, subject: Subject<'_>) -> Result<String, ErrorData> {
        let state = State {
            method: subject.method.to_owned(),
            name: subject.name.to_owned(),
            arguments: digest(subject.arguments),
            principal: subject.principal.map(str::to_owned),
            entries: entries.clone(),
        };
        let options = SealOptions::new().ttl(self.lifetime);
        let sealed = self.codec.seal_json_with(&state, &options).map_err(|error| {
            tracing::error!(%error, "what is known of a call cannot be written");
            ErrorData::internal_error("internal error", None)
        })?;
        if sealed.len() > MOST_BYTES {
            let message = format!(
                "the answers so far take {} bytes, and a `requestState` has {MOST_BYTES} at most: answer in fewer words",
                sealed.len()
            );
            return Err(ErrorData::internal_error(message, None));
        }
        Ok(sealed)
    }

    /// What is known of a call.
    ///
    /// # Errors
    ///
    /// When it is not what this server has sealed for this call, or too old.
    pub(super) fn open(&self, sealed: &str, subject: Subject<'_>) -> Result<Entries, ErrorData> {
        let refused = |why: &str| {
            let message = format!("the `requestState` {why}: make the call without it to begin anew");
            ErrorData::invalid_params(message, None)
        };
        if sealed.len() > MOST_BYTES {
            return Err(refused("is longer than any that this server gives"));
        }
        let state: State = self.codec.open_json(sealed).map_err(|error| match error {
            RequestStateError::Expired => refused("has expired"),
            _ => refused("is none that this server gave"),
        })?;
        if (state.method.as_str(), state.name.as_str()) != (subject.method, subject.name) {
            return Err(refused("was given for another call"));
        }
        if state.principal.as_deref() != subject.principal {
            return Err(refused("was given to another caller"));
        }
        if state.arguments != digest(subject.arguments) {
            return Err(refused("was given for other arguments"));
        }
        Ok(state.entries)
    }
}

/// Of arguments, however they are spelled. What is no JSON is refused for that.
fn digest(arguments: &[u8]) -> String {
    let arguments = if arguments.is_empty() { b"{}" } else { arguments };
    let arguments: Value = serde_json::from_slice(arguments).unwrap_or_default();
    Digest::of(&arguments).to_string()
}
