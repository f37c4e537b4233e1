//! Up to 2025-11-25: a question is a request of the server's, on the stream of the call that asks.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, RequestId, ServerJsonRpcMessage, ServerNotification,
    ServerRequest,
};
use tokio::time::timeout;
use tool_core::elicitation::{Answer, Ask, AskKind, AskOutcome, ClientRequests, Elicited, Question};
use tool_core::failure::Reason;
use tool_core::{BoxFuture, Failure, FailureKind};

use crate::elicitation::capabilities::Capabilities;
use crate::elicitation::wire;
use crate::protocol::{Outbox, RequestContext, Session};

/// Sends questions to a client, and waits for its answers.
pub(crate) struct PeerAsker {
    capabilities: Capabilities,
    /// How long an answer may take.
    patience: Duration,
    /// The stream of the call that asks.
    outbox: Outbox,
    session: Option<Arc<Session>>,
}

impl PeerAsker {
    pub(super) fn new(cx: &RequestContext, patience: Duration) -> Self {
        let session = cx.session.clone();
        // Nobody can answer a request of the server without a session.
        let capabilities = if session.is_some() { cx.capabilities } else { Capabilities::default() };
        PeerAsker { capabilities, patience, outbox: cx.outbox.clone(), session }
    }

    async fn ask(&self, question: &Question) -> Result<AskOutcome, Failure> {
        self.capabilities.admit(question)?;
        let Some(session) = &self.session else { return Err(left()) };
        let request: ServerRequest = serde_json::from_value(wire::request(question)).map_err(|error| {
            tracing::error!(%error, key = question.key, "a question cannot be sent to the client");
            Failure::internal()
        })?;
        let (id, answer) = session.server_requests.begin();
        let mut unanswered = Unanswered { session, outbox: &self.outbox, id: id.clone(), is_answered: false };
        self.outbox.send(&ServerJsonRpcMessage::request(request, id)).await.map_err(|_| left())?;
        let answer = timeout(self.patience, answer).await;
        unanswered.is_answered = matches!(answer, Ok(Ok(_)));
        match answer {
            Ok(Ok(Ok(answer))) => Ok(match wire::answer(question.ask.kind(), &answer) {
                Ok(answer) => AskOutcome::Answer(answer),
                Err(wrong) => AskOutcome::Invalid(wrong),
            }),
            Ok(Ok(Err(error))) => {
                let message =
                    format!("the client did not answer the question `{}`: {}", question.key, error.message);
                Err(Failure::new(FailureKind::Failed(Reason::Other), message))
            }
            Ok(Err(_)) => Err(left()),
            // Nobody sits before the form any more.
            Err(_) if matches!(question.ask, Ask::Form { .. } | Ask::Url { .. }) => {
                Ok(AskOutcome::Answer(Answer::Elicited(Elicited::Cancelled)))
            }
            Err(_) => {
                let message = format!("the client did not answer within {:?}", self.patience);
                Err(Failure::new(FailureKind::Failed(Reason::Unavailable), message))
            }
        }
    }
}

/// The failure of a question to a client that is not there any more.
fn left() -> Failure {
    let message = "the client went away before it answered";
    Failure::new(FailureKind::Failed(Reason::Unavailable), message.to_owned())
}

/// Tells the client when it is dropped that nobody waits for an answer any more, unless there is one.
struct Unanswered<'a> {
    session: &'a Session,
    outbox: &'a Outbox,
    id: RequestId,
    is_answered: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.session.server_requests.end(&self.id);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if self.is_answered {
            return;
        }
        let reason = Some("the call that asked has ended".to_owned());
        let canceled = CancelledNotificationParam::new(Some(self.id.clone()), reason);
        let canceled = CancelledNotification::new(canceled);
        let canceled = ServerNotification::CancelledNotification(canceled);
        let (outbox, session_outbox) = (self.outbox.clone(), self.session.outbox.clone());
        runtime.spawn(async move {
            // The stream of the call may have ended with it.
            if outbox.notify(canceled.clone()).await.is_err() {
                let _ = session_outbox.notify(canceled).await;
            }
        });
    }
}

impl ClientRequests for PeerAsker {
    fn supports(&self, kind: AskKind) -> bool {
        self.capabilities.contain(kind)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(PeerAsker::ask(self, question))
    }
}
