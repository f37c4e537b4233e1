//! A transport that handles notifications in the order in which they arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;

use crate::upstream::inbox::Inbox;

/// Forwards notifications to the [inbox](Inbox) and everything else to rmcp, which would handle each notification in
/// its own task, in any order.
pub(super) struct InterceptedTransport<T> {
    transport: T,
    inbox: Arc<Inbox>,
    /// The ids of the requests that detect the era of the server.
    probes: Vec<RequestId>,
    /// Whether `initialize` was sent. rmcp would take a response to a probe for the response to `initialize`.
    initialize_sent: bool,
    /// The number of requests of the server without a response.
    unanswered: Arc<AtomicUsize>,
}

/// The maximum number of requests of the server without a response. Each is answered at once, but the response is kept
/// until the server has read it.
const MAX_UNANSWERED: usize = 1_000;

impl<T> InterceptedTransport<T> {
    pub(super) fn new(transport: T, inbox: Arc<Inbox>) -> Self {
        InterceptedTransport {
            transport,
            inbox,
            probes: Vec::new(),
            initialize_sent: false,
            unanswered: Arc::default(),
        }
    }

    fn is_outdated_probe(&self, id: Option<&RequestId>) -> bool {
        self.initialize_sent && id.is_some_and(|id| self.probes.contains(id))
    }

    /// Handles a message, or returns it for rmcp.
    fn intercept(&self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let JsonRpcMessage::Notification(notification) = message else {
            let is_outdated = match &message {
                JsonRpcMessage::Response(response) => self.is_outdated_probe(Some(&response.id)),
                JsonRpcMessage::Error(error) => self.is_outdated_probe(error.id.as_ref()),
                _ => false,
            };
            return (!is_outdated).then_some(message);
        };
        match notification.notification {
            ServerNotification::ProgressNotification(progress) => {
                self.inbox.forward_progress(progress.params);
            }
            ServerNotification::ToolListChangedNotification(_) => self.inbox.list_changed.notify_one(),
            // A request of the server is answered before it can be canceled.
            ServerNotification::CancelledNotification(_) if self.initialize_sent => {}
            // rmcp uses these for the state of the connection. The others are ignored.
            ServerNotification::CancelledNotification(_)
            | ServerNotification::SubscriptionsAcknowledgedNotification(_) => {
                return Some(JsonRpcMessage::Notification(notification));
            }
            _ => {}
        }
        None
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for InterceptedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (mut locked_by, mut unanswered) = (None, None);
        if matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
            unanswered = Some(Arc::clone(&self.unanswered));
        }
        if let JsonRpcMessage::Request(request) = &message {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.probes.push(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.initialize_sent = true,
                ClientRequest::CallToolRequest(_) => locked_by = Some(Arc::clone(&self.inbox)),
                _ => {}
            }
        }
        let sending = self.transport.send(message);
        async move {
            if let Some(inbox) = locked_by {
                drop(inbox.send_lock.lock().await);
            }
            let sent = sending.await;
            if let Some(unanswered) = unanswered {
                unanswered.fetch_sub(1, Ordering::AcqRel);
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
            self.inbox.record_message();
            if matches!(message, JsonRpcMessage::Request(_))
                && self.unanswered.fetch_add(1, Ordering::AcqRel) >= MAX_UNANSWERED
            {
                self.inbox.close("it sends requests without reading the responses");
                return None;
            }
            if let Some(message) = self.intercept(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inbox.close("the connection was closed");
        self.transport.close().await
    }
}

impl<T> Drop for InterceptedTransport<T> {
    fn drop(&mut self) {
        self.inbox.close("the connection was dropped");
    }
}
