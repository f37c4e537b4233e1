//! Questions of a call to its client: in results that the client answers by retrying the call (2026-07-28), or in requests of
//! the server (before).

mod capabilities;
mod multi_round_trip;
pub(crate) mod request_state;
mod session_client;

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, InputRequiredResult};
use serde_json::{Map, Value, json};
use tool_core::elicitation::{AskKind, ClientRequests};
use tool_core::{Failure, FailureKind};

pub(crate) use capabilities::Capabilities;
pub(crate) use request_state::{CallIdentity, StateKey, StateSealer};

use crate::elicitation::multi_round_trip::MultiRoundTrip;
use crate::elicitation::session_client::SessionClient;
use crate::protocol::{RequestContext, RpcResult, invalid_params};

/// What a client sends when it retries a call with answers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Round<'r> {
    pub(crate) state: Option<&'r str>,
    /// The answers by the keys of the questions.
    pub(crate) responses: Option<&'r Map<String, Value>>,
}

impl<'r> Round<'r> {
    /// Reads the parameters of a call. Responses that are not an object are ignored: the questions are asked again.
    pub(crate) fn of(state: Option<&'r Value>, responses: Option<&'r Value>) -> RpcResult<Self> {
        let state = match state {
            None | Some(Value::Null) => None,
            Some(Value::String(state)) => Some(state.as_str()),
            Some(_) => return Err(invalid_params("`requestState` must be a string")),
        };
        Ok(Round { state, responses: responses.and_then(Value::as_object) })
    }

    pub(crate) fn of_params(params: &'r Map<String, Value>) -> RpcResult<Self> {
        Round::of(params.get("requestState"), params.get("inputResponses"))
    }
}

/// How the questions of one call reach its client.
pub(crate) enum Elicitation {
    MultiRoundTrip(Arc<MultiRoundTrip>),
    Session(Arc<SessionClient>),
}

impl Elicitation {
    /// # Errors
    ///
    /// When the client sends a state that does not belong to this call.
    pub(crate) fn new(
        call: CallIdentity<'_>,
        round: Round<'_>,
        sealer: &StateSealer,
        cx: &RequestContext,
    ) -> RpcResult<Self> {
        if !cx.era.is_modern() {
            return Ok(Elicitation::Session(Arc::new(SessionClient::new(cx, sealer.lifetime))));
        }
        let previous = round.state.map(|state| sealer.open(state, call)).transpose()?;
        Ok(Elicitation::MultiRoundTrip(Arc::new(MultiRoundTrip::new(
            cx.capabilities,
            previous,
            round.responses,
        ))))
    }

    /// Returns the client that answers the questions.
    pub(crate) fn client(&self) -> Arc<dyn ClientRequests> {
        match self {
            Elicitation::MultiRoundTrip(client) => Arc::clone(client) as _,
            Elicitation::Session(client) => Arc::clone(client) as _,
        }
    }

    /// Returns the response to a call that failed because of its questions; `None` for any other failure.
    pub(crate) fn response(
        &self,
        failure: &Failure,
        call: CallIdentity<'_>,
        sealer: &StateSealer,
    ) -> Option<RpcResult<InputRequiredResult>> {
        let Elicitation::MultiRoundTrip(client) = self else { return None };
        match failure.kind() {
            FailureKind::InputRequired => {
                let (requests, previous) = client.requests();
                let sealed = sealer.seal(previous, call);
                Some(sealed.map(|sealed| InputRequiredResult::new(Some(requests), Some(sealed))))
            }
            FailureKind::Unsupported => client.unsupported().map(|kind| Err(unsupported(failure, kind))),
            _ => None,
        }
    }
}

/// Returns the error of a client that does not support a kind of question.
fn unsupported(failure: &Failure, kind: AskKind) -> ErrorData {
    let capability = match kind {
        AskKind::Url => json!({"elicitation": {"url": {}}}),
        AskKind::Sample => json!({"sampling": {}}),
        AskKind::Roots => json!({"roots": {}}),
        _ => json!({"elicitation": {}}),
    };
    let data: Value = json!({"requiredCapabilities": capability});
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, failure.message().to_owned(), Some(data))
}
