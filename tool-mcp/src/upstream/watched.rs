//! A transport whose messages are looked at as they pass, in their order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;

use crate::upstream::inbox::Inbox;

/// Takes out what is told besides the answers: rmcp hands each notification to a task of its own, which may be late.
pub(super) struct Watched<T> {
    transport: T,
    inbox: Arc<Inbox>,
    /// What was asked in order to find out which era the server is of.
    probes: Vec<RequestId>,
    /// The handshake of the older era has begun: an answer to a probe comes too late, and would be taken for one to it.
    greeted: bool,
    /// How many of its requests are not answered yet.
    asked: Arc<AtomicUsize>,
}

/// So many requests of a server wait to be answered. Each is answered at once, and held until it has read the answer.
const MOST_ASKED: usize = 1_000;

impl<T> Watched<T> {
    pub(super) fn new(transport: T, inbox: Arc<Inbox>) -> Self {
        Watched { transport, inbox, probes: Vec::new(), greeted: false, asked: Arc::default() }
    }

    fn is_late(&self, id: Option<&RequestId>) -> bool {
        self.greeted && id.is_some_and(|id| self.probes.contains(id))
    }

    /// What is to be passed on.
    fn look_at(&self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let JsonRpcMessage::Notification(notification) = message else {
            let late = match &message {
                JsonRpcMessage::Response(response) => self.is_late(Some(&response.id)),
                JsonRpcMessage::Error(error) => self.is_late(error.id.as_ref()),
                _ => false,
            };
            return (!late).then_some(message);
        };
        match notification.notification {
            ServerNotification::ProgressNotification(progress) => self.inbox.report(progress.params),
            ServerNotification::ToolListChangedNotification(_) => self.inbox.changed.notify_one(),
            // Whatever it asks is answered before it is taken back.
            ServerNotification::CancelledNotification(_) if self.greeted => {}
            // Those that stand for the state of the connection are rmcp's; of the others nobody here wants to know.
            ServerNotification::CancelledNotification(_)
            | ServerNotification::SubscriptionsAcknowledgedNotification(_) => {
                return Some(JsonRpcMessage::Notification(notification));
            }
            _ => {}
        }
        None
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (mut gated, mut answer) = (None, None);
        if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
            answer = Some(Arc::clone(&self.asked));
        }
        if let JsonRpcMessage::Request(request) = &message {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.probes.push(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.greeted = true,
                ClientRequest::CallToolRequest(_) => gated = Some(Arc::clone(&self.inbox)),
                _ => {}
            }
        }
        let sending = self.transport.send(message);
        async move {
            if let Some(inbox) = gated {
                drop(inbox.gate.lock().await);
            }
            let sent = sending.await;
            if let Some(asked) = answer {
                asked.fetch_sub(1, Ordering::AcqRel);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let Some(message) = self.transport.receive().await else {
                self.inbox.close("the connection was closed");
                return None;
            };
            self.inbox.hear();
            if matches!(message, JsonRpcMessage::Request(_))
                && self.asked.fetch_add(1, Ordering::AcqRel) >= MOST_ASKED
            {
                self.inbox.close("it asks more than it reads the answers to");
                return None;
            }
            if let Some(message) = self.look_at(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inbox.close("the connection was closed");
        self.transport.close().await
    }
}

impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.inbox.close("the connection was dropped");
    }
}
