//! Questions of a call, put to the client that made it: in results that it answers by asking again (2026-07-28), or in
//! requests of the server's own (before).

mod capabilities;
mod peer_asker;
mod request_state;
mod rounds;
mod wire;

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, InputRequiredResult};
use serde_json::{Map, Value, json};
use tool_core::elicitation::{AskKind, ClientRequests};
use tool_core::{Failure, FailureKind};

pub(crate) use capabilities::Capabilities;
pub(crate) use request_state::{Key, Seal, Subject};

use crate::elicitation::peer_asker::PeerAsker;
use crate::elicitation::rounds::Rounds;
use crate::protocol::RequestContext;

/// What a client sends along when it makes a call again with answers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Round<'r> {
    pub(crate) state: Option<&'r str>,
    /// By the keys of the questions.
    pub(crate) responses: Option<&'r Map<String, Value>>,
}

impl<'r> Round<'r> {
    /// Reads what came along with a call. Answers that are no object count as none: the questions are asked again.
    pub(crate) fn of(state: Option<&'r Value>, responses: Option<&'r Value>) -> Result<Self, ErrorData> {
        let state = match state {
            None | Some(Value::Null) => None,
            Some(Value::String(state)) => Some(state.as_str()),
            Some(_) => return Err(ErrorData::invalid_params("`requestState` must be a string", None)),
        };
        Ok(Round { state, responses: responses.and_then(Value::as_object) })
    }
}

/// Whoever asks the client of one call.
pub(crate) enum Inquirer {
    Rounds(Arc<Rounds>),
    Peer(Arc<PeerAsker>),
}

impl Inquirer {
    /// Of the call that a request makes.
    ///
    /// # Errors
    ///
    /// When the state that came along is none of this call.
    pub(crate) fn of(
        subject: Subject<'_>,
        round: Round<'_>,
        seal: &Seal,
        cx: &RequestContext,
    ) -> Result<Self, ErrorData> {
        if cx.era.is_modern() {
            let entries = round.state.map(|state| seal.open(state, subject)).transpose()?;
            Ok(Inquirer::Rounds(Arc::new(Rounds::new(cx.capabilities, entries, round.responses))))
        } else {
            Ok(Inquirer::Peer(Arc::new(PeerAsker::new(cx, seal.lifetime()))))
        }
    }

    /// Returns what answers the questions of the call.
    pub(crate) fn client(&self) -> Arc<dyn ClientRequests> {
        match self {
            Inquirer::Rounds(rounds) => Arc::clone(rounds) as _,
            Inquirer::Peer(peer) => Arc::clone(peer) as _,
        }
    }

    /// What a call that failed like this is answered with where its questions are the reason; `None` for every other
    /// failure.
    pub(crate) fn answer(
        &self,
        failure: &Failure,
        subject: Subject<'_>,
        seal: &Seal,
    ) -> Option<Result<InputRequiredResult, ErrorData>> {
        let Inquirer::Rounds(rounds) = self else { return None };
        match failure.kind() {
            FailureKind::InputRequired => {
                let (requests, entries) = rounds.requests();
                let sealed = seal.seal(&entries, subject);
                Some(sealed.map(|sealed| InputRequiredResult::new(Some(requests), Some(sealed))))
            }
            FailureKind::Unsupported => rounds.lacking().map(|kind| Err(lacking(failure, kind))),
            _ => None,
        }
    }
}

/// The client does not know how to answer such a question.
fn lacking(failure: &Failure, kind: AskKind) -> ErrorData {
    let capability = match kind {
        AskKind::Url => json!({"elicitation": {"url": {}}}),
        AskKind::Sample => json!({"sampling": {}}),
        AskKind::Roots => json!({"roots": {}}),
        _ => json!({"elicitation": {}}),
    };
    let data: Value = json!({"requiredCapabilities": capability});
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, failure.message().to_owned(), Some(data))
}
