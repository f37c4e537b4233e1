//! Up to 2025-11-25: a question is a request of the server, on the stream of the call.

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
use crate::protocol::{Outbox, RequestContext, Session};

/// Sends questions to the client of a session, and waits for its answers.
pub(crate) struct SessionClient {
    capabilities: Capabilities,
    answer_timeout: Duration,
    /// The stream of the call.
    outbox: Outbox,
    session: Option<Arc<Session>>,
}

impl SessionClient {
    pub(super) fn new(cx: &RequestContext, answer_timeout: Duration) -> Self {
        let session = cx.session.clone();
        // Without a session, there is no way to answer.
        let capabilities = if session.is_some() { cx.capabilities } else { Capabilities::default() };
        SessionClient { capabilities, answer_timeout, outbox: cx.outbox.clone(), session }
    }

    async fn ask(&self, question: &Question) -> Result<AskOutcome, Failure> {
        self.capabilities.check(question)?;
        let Some(session) = &self.session else { return Err(disconnected()) };
        let request: ServerRequest = serde_json::from_value(question.to_request()).map_err(|error| {
            tracing::error!(%error, key = question.key, "a question cannot be sent to the client");
            Failure::internal()
        })?;
        let (id, answer) = session.server_requests.begin();
        let mut guard = PendingGuard { session, outbox: &self.outbox, id: id.clone(), is_answered: false };
        self.outbox.send(&ServerJsonRpcMessage::request(request, id)).await.map_err(|_| disconnected())?;
        let answer = timeout(self.answer_timeout, answer).await;
        guard.is_answered = matches!(answer, Ok(Ok(_)));
        match answer {
            Ok(Ok(Ok(answer))) => Ok(match Answer::from_result(question.ask.kind(), &answer) {
                Ok(answer) => AskOutcome::Answer(answer),
                Err(wrong) => AskOutcome::Invalid(wrong),
            }),
            Ok(Ok(Err(error))) => {
                let message =
                    format!("the client did not answer the question `{}`: {}", question.key, error.message);
                Err(Failure::new(FailureKind::Failed(Reason::Other), message))
            }
            Ok(Err(_)) => Err(disconnected()),
            // The person has left the form.
            Err(_) if matches!(question.ask, Ask::Form { .. } | Ask::Url { .. }) => {
                Ok(AskOutcome::Answer(Answer::Elicited(Elicited::Cancelled)))
            }
            Err(_) => {
                let message = format!("the client did not answer within {:?}", self.answer_timeout);
                Err(Failure::new(FailureKind::Failed(Reason::Unavailable), message))
            }
        }
    }
}

fn disconnected() -> Failure {
    let message = "the client went away before it answered";
    Failure::new(FailureKind::Failed(Reason::Unavailable), message.to_owned())
}

/// Cancels the request when it is dropped without an answer.
struct PendingGuard<'a> {
    session: &'a Session,
    outbox: &'a Outbox,
    id: RequestId,
    is_answered: bool,
}

impl Drop for PendingGuard<'_> {
    fn drop(&mut self) {
        self.session.server_requests.end(&self.id);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if self.is_answered {
            return;
        }
        let reason = Some("the call that asked has ended".to_owned());
        let canceled = CancelledNotificationParam::new(Some(self.id.clone()), reason);
        let canceled = ServerNotification::CancelledNotification(CancelledNotification::new(canceled));
        let (outbox, session_outbox) = (self.outbox.clone(), self.session.outbox.clone());
        runtime.spawn(async move {
            // The stream of the call may have ended with it.
            if outbox.notify(canceled.clone()).await.is_err() {
                let _ = session_outbox.notify(canceled).await;
            }
        });
    }
}

impl ClientRequests for SessionClient {
    fn supports(&self, kind: AskKind) -> bool {
        self.capabilities.contain(kind)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<AskOutcome, Failure>> {
        Box::pin(SessionClient::ask(self, question))
    }
}
