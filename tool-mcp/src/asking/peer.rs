//! Up to 2025-11-25: a question is a request of the server's, on the stream of the call that asks.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CancelledNotificationParam, GetExtensions as _, RequestId, ServerRequest};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, RequestContext, ServiceError};
use tokio::sync::SetOnce;
use tool_core::elicitation::{Answer, Ask, AskKind, AskOutcome, ClientRequests, Elicited, Question};
use tool_core::failure::Reason;
use tool_core::{BoxFuture, Failure, FailureKind};

use crate::asking::capabilities::Capabilities;
use crate::asking::wire;

/// Puts questions to a client, and waits for its answers.
pub(crate) struct PeerAsker {
    capabilities: Capabilities,
    /// How long an answer may take.
    patience: Duration,
    line: SetOnce<Line>,
}

/// The way to the client.
struct Line {
    peer: Peer<RoleServer>,
    /// The request that asks.
    request: RequestId,
}

impl PeerAsker {
    /// Whoever asks through it waits until it is connected.
    pub(super) fn new(capabilities: Capabilities, patience: Duration) -> Self {
        PeerAsker { capabilities, patience, line: SetOnce::new() }
    }

    /// Questions are put to the client that has sent this request.
    pub(crate) fn connect(&self, cx: &RequestContext<RoleServer>) {
        // It is connected once.
        let _ = self.line.set(Line { peer: cx.peer.clone(), request: cx.id.clone() });
    }

    async fn ask(&self, question: &Question) -> Result<AskOutcome, Failure> {
        self.capabilities.admit(question)?;
        let Line { peer, request: asks } = self.line.wait().await;
        let kind = question.ask.kind();
        let mut request: ServerRequest =
            serde_json::from_value(wire::request(question)).map_err(|error| {
                tracing::error!(%error, key = question.key, "a question cannot be put to the client");
                Failure::internal()
            })?;
        // A call that modifies asks from a task of its own, and the client must see which request it belongs to.
        request.extensions_mut().insert(OriginatingRequestId(asks.clone()));
        let options = PeerRequestOptions::with_timeout(self.patience);
        let handle = peer.send_cancellable_request(request, options).await.map_err(|error| gone(&error))?;
        let mut unanswered = Unanswered { peer, request: Some(handle.id.clone()) };
        let response = handle.await_response().await;
        unanswered.request = None;
        match response {
            Ok(response) => {
                let response = serde_json::to_value(response).unwrap_or_default();
                Ok(match wire::answer(kind, &response) {
                    Ok(answer) => AskOutcome::Answer(answer),
                    Err(wrong) => AskOutcome::Invalid(wrong),
                })
            }
            // Nobody sits before the form any more.
            Err(ServiceError::Timeout { .. })
                if matches!(question.ask, Ask::Form { .. } | Ask::Url { .. }) =>
            {
                Ok(AskOutcome::Answer(Answer::Elicited(Elicited::Cancelled)))
            }
            Err(ServiceError::McpError(error)) => {
                let message =
                    format!("the client did not answer the question `{}`: {}", question.key, error.message);
                Err(Failure::new(FailureKind::Failed(Reason::Other), message))
            }
            Err(error) => Err(gone(&error)),
        }
    }
}

/// The client is not there any more, or says nothing.
fn gone(error: &ServiceError) -> Failure {
    let message = match error {
        ServiceError::Timeout { timeout } => format!("the client did not answer within {timeout:?}"),
        _ => "the client went away before it answered".to_owned(),
    };
    Failure::new(FailureKind::Failed(Reason::Unavailable), message)
}

/// Tells the client that nobody waits for an answer any more, unless there is one.
struct Unanswered<'p> {
    peer: &'p Peer<RoleServer>,
    request: Option<RequestId>,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        let Some(request) = self.request.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = Some("the call that asked has ended".to_owned());
            let told = CancelledNotificationParam::new(Some(request), reason);
            // A client that has gone need not hear it.
            let _ = peer.notify_cancelled(told).await;
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
