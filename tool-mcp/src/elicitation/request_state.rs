//! The state of a call between its round trips: signed, and kept by the client, which can read it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tool_core::Digest;
use tool_core::elicitation::Question;

use crate::protocol::{RpcResult, internal_error, invalid_params};

/// The most bytes that a state may have.
const MOST_STATE_BYTES: usize = 256 * 1024;

/// The questions of a call, by their keys.
pub(crate) type SealedQuestions = BTreeMap<String, SealedQuestion>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SealedQuestion {
    /// The digest of the question.
    #[serde(rename = "d")]
    pub(super) digest: String,
    /// The answer as the client sent it.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Value>,
}

impl SealedQuestion {
    pub(super) fn unanswered(question: &Question) -> Self {
        SealedQuestion { digest: question.digest().to_string(), answer: None }
    }
}

/// The call that a state belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallIdentity<'s> {
    /// Such as `tools/call`.
    pub(crate) method: &'s str,
    /// The name of the tool or the prompt.
    pub(crate) name: &'s str,
    /// The arguments as JSON.
    pub(crate) arguments: &'s [u8],
    /// The identifier of the caller.
    pub(crate) principal: Option<&'s str>,
}

#[derive(Serialize, Deserialize)]
struct RequestState {
    method: String,
    name: String,
    arguments: String,
    principal: Option<String>,
    entries: SealedQuestions,
}

/// A secret key of a [`StateSealer`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateKey(pub(crate) [u8; 32]);

impl StateKey {
    /// # Errors
    ///
    /// When the system provides no randomness.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(StateKey(key))
    }

    /// Returns the identifier that a state names its key with: a part of a digest, which does not reveal the key.
    fn id(&self) -> String {
        let digest = Sha256::new_with_prefix("tool-mcp requestState").chain_update(self.0).finalize();
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKey")
    }
}

/// Signs the states of calls, and verifies them.
pub(crate) struct StateSealer {
    codec: RequestStateCodec,
    /// How long an answer may take.
    pub(super) lifetime: Duration,
}

impl StateSealer {
    /// Creates a sealer that signs with the first key, and accepts what any of the keys has signed.
    ///
    /// # Errors
    ///
    /// When there is no key.
    pub(crate) fn new(keys: &[StateKey], lifetime: Duration) -> Result<Self, RequestStateError> {
        let active = keys.first().map(StateKey::id).unwrap_or_default();
        let distinct: BTreeSet<&StateKey> = keys.iter().collect();
        let keys = distinct.into_iter().map(|key| (key.id(), key.0));
        Ok(StateSealer { codec: RequestStateCodec::new_with_keyring(active, keys)?, lifetime })
    }

    /// Seals the state of a call.
    ///
    /// # Errors
    ///
    /// When the state is too large.
    pub(crate) fn seal(&self, entries: SealedQuestions, call: CallIdentity<'_>) -> RpcResult<String> {
        let state = RequestState {
            method: call.method.to_owned(),
            name: call.name.to_owned(),
            arguments: digest(call.arguments),
            principal: call.principal.map(str::to_owned),
            entries,
        };
        let options = SealOptions::new().ttl(self.lifetime);
        let sealed = self.codec.seal_json_with(&state, &options).map_err(|error| {
            tracing::error!(%error, "the state of a call cannot be serialized");
            internal_error()
        })?;
        let bytes = sealed.len();
        if bytes > MOST_STATE_BYTES {
            let message = format!(
                "the answers so far take {bytes} bytes, and a `requestState` has {MOST_STATE_BYTES} at most: answer in fewer words"
            );
            return Err(ErrorData::internal_error(message, None));
        }
        Ok(sealed)
    }

    /// Opens the state of a call.
    ///
    /// # Errors
    ///
    /// When it was not sealed with one of the keys for the same call, or has expired.
    pub(crate) fn open(&self, sealed: &str, call: CallIdentity<'_>) -> RpcResult<SealedQuestions> {
        let refused = |why: &str| {
            invalid_params(format!("the `requestState` {why}: make the call without it to begin anew"))
        };
        if sealed.len() > MOST_STATE_BYTES {
            return Err(refused("is too long"));
        }
        let state: RequestState = self.codec.open_json(sealed).map_err(|error| match error {
            RequestStateError::Expired => refused("has expired"),
            _ => refused("was not made by this server"),
        })?;
        if (state.method.as_str(), state.name.as_str()) != (call.method, call.name) {
            return Err(refused("belongs to another call"));
        }
        if state.principal.as_deref() != call.principal {
            return Err(refused("belongs to another caller"));
        }
        if state.arguments != digest(call.arguments) {
            return Err(refused("belongs to other arguments"));
        }
        Ok(state.entries)
    }
}

/// Returns the digest of arguments in normal form. Invalid JSON is rejected elsewhere.
fn digest(arguments: &[u8]) -> String {
    let arguments = if arguments.is_empty() { b"{}" } else { arguments };
    let arguments: Value = serde_json::from_slice(arguments).unwrap_or_default();
    Digest::of(&arguments).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: CallIdentity<'_> =
        CallIdentity { method: "tools/call", name: "ask", arguments: b"{}", principal: Some("ada") };

    fn sealer(keys: &[u8]) -> StateSealer {
        let keys: Vec<StateKey> = keys.iter().map(|key| StateKey([*key; 32])).collect();
        StateSealer::new(&keys, Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn accepts_states_throughout_a_rotation() {
        let stages = [sealer(&[1]), sealer(&[1, 2]), sealer(&[2, 1]), sealer(&[2])];
        let states: Vec<String> =
            stages.iter().map(|stage| stage.seal(SealedQuestions::new(), CALL).unwrap()).collect();
        // Two stages that follow each other serve at the same time.
        for (one, other) in [(0, 1), (1, 2), (2, 3)] {
            assert!(stages[one].open(&states[other], CALL).is_ok(), "{one} opens what {other} sealed");
            assert!(stages[other].open(&states[one], CALL).is_ok(), "{other} opens what {one} sealed");
        }
        let retired = stages[3].open(&states[1], CALL).unwrap_err();
        assert!(retired.message.contains("was not made by this server"), "{}", retired.message);
    }

    #[test]
    fn the_id_of_a_key_does_not_contain_it() {
        let state = sealer(&[7]).seal(SealedQuestions::new(), CALL).unwrap();
        let opened = sealer(&[8, 7, 7]).open(&state, CALL);
        assert_eq!(opened.unwrap(), SealedQuestions::new());
        assert_ne!(StateKey([7; 32]).id(), "07".repeat(8));
        assert_ne!(StateKey([7; 32]).id(), StateKey([8; 32]).id());
    }
}
