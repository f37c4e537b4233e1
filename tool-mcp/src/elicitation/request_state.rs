//! The state of a call between its round trips: encrypted, and kept by the client.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::Digest;
use tool_core::elicitation::Question;

use crate::protocol::{RpcResult, internal_error, invalid_params};

/// The most bytes that a state may have.
const MOST_STATE_BYTES: usize = 256 * 1024;

/// The questions of a call, by their keys.
pub(super) type SealedQuestions = BTreeMap<String, SealedQuestion>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SealedQuestion {
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

/// The secret key of a [`StateSealer`].
#[derive(Clone, Copy)]
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
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKey")
    }
}

/// Encrypts and authenticates the states of calls.
pub(crate) struct StateSealer {
    codec: RequestStateCodec,
    /// How long an answer may take.
    pub(super) lifetime: Duration,
}

impl StateSealer {
    /// Creates a sealer. All servers that may receive the next round trip need the same key.
    pub(crate) fn new(StateKey(key): StateKey, lifetime: Duration) -> Self {
        StateSealer { codec: RequestStateCodec::new_unchecked(key), lifetime }
    }

    /// Seals the state of a call.
    ///
    /// # Errors
    ///
    /// When the state is too large.
    pub(super) fn seal(&self, entries: SealedQuestions, call: CallIdentity<'_>) -> RpcResult<String> {
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
    /// When it was not sealed with the same key for the same call, or has expired.
    pub(super) fn open(&self, sealed: &str, call: CallIdentity<'_>) -> RpcResult<SealedQuestions> {
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
