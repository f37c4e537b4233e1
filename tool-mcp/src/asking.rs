//! Questions of a call, put to the client that made it: in results that it answers by asking again (2026-07-28), or in
//! requests of the server's own (before).

mod capabilities;
mod peer;
mod rounds;
mod seal;
mod wire;

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, ErrorCode, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tool_core::elicitation::{AskKind, ClientRequests};
use tool_core::{Failure, FailureKind};

pub(crate) use capabilities::Capabilities;
pub(crate) use peer::PeerAsker;
pub(crate) use seal::{Key, Seal, Subject};

use crate::asking::rounds::Rounds;
use crate::era::Era;

/// What a client sends along when it makes a call again with answers.
#[derive(Clone, Copy, Default)]
pub(crate) struct Round<'r> {
    pub(crate) state: Option<&'r str>,
    pub(crate) responses: Option<&'r InputResponses>,
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
        cx: &RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        let capabilities = Capabilities::of(cx);
        if Era::of(cx).is_modern() {
            let known = round.state.map(|state| seal.open(state, subject)).transpose()?;
            Ok(Inquirer::Rounds(Arc::new(Rounds::new(capabilities, known, round.responses))))
        } else {
            let inquirer = Inquirer::in_session(capabilities, seal);
            inquirer.peer().iter().for_each(|peer| peer.connect(cx));
            Ok(inquirer)
        }
    }

    /// Of the first round of a call over 2026-07-28, by a client that declares these.
    pub(crate) fn first(declared: &ClientCapabilities) -> Self {
        Inquirer::Rounds(Arc::new(Rounds::new(Capabilities::declared(declared), None, None)))
    }

    /// Of a call in a session with a client that can be asked this; it asks once it is connected.
    pub(crate) fn in_session(capabilities: Capabilities, seal: &Seal) -> Self {
        Inquirer::Peer(Arc::new(PeerAsker::new(capabilities, seal.lifetime())))
    }

    /// Whoever has to be connected before it asks.
    pub(crate) fn peer(&self) -> Option<&Arc<PeerAsker>> {
        match self {
            Inquirer::Peer(peer) => Some(peer),
            Inquirer::Rounds(_) => None,
        }
    }

    /// Who answers the questions of the call.
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
                let (requests, known) = rounds.asked();
                let sealed = seal.seal(&known, subject);
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
