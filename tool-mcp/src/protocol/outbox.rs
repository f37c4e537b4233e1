//! Sending messages that are not responses.

use std::future::ready;
use std::sync::Arc;

use axum::body::Bytes;
use rmcp::model::{GetMeta as _, RequestId, ServerJsonRpcMessage, ServerNotification, SubscriptionFilter};
use serde::Serialize;
use tool_core::BoxFuture;

/// Sends messages to a client, one after the other.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<dyn Outgoing>);

/// A stream of messages to a client.
pub(crate) trait Outgoing: Send + Sync {
    /// Sends the text of a message. Waits while the client reads too slowly.
    fn send(&self, text: Bytes) -> BoxFuture<'_, Result<(), Closed>>;
}

/// A notification to the client.
#[derive(Serialize)]
pub(crate) struct Notification<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

impl<P: Serialize> Notification<P> {
    pub(crate) fn new(method: &'static str, params: P) -> Self {
        Notification { jsonrpc: "2.0", method, params }
    }
}

/// The error of sending to a client that reads no more.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the client reads no more messages")]
pub(crate) struct Closed;

impl Outbox {
    pub(crate) fn new(outgoing: Arc<dyn Outgoing>) -> Self {
        Outbox(outgoing)
    }

    pub(crate) fn notify(&self, notification: ServerNotification) -> BoxFuture<'_, Result<(), Closed>> {
        self.send(&ServerJsonRpcMessage::notification(notification))
    }

    pub(crate) fn send(&self, message: &impl Serialize) -> BoxFuture<'_, Result<(), Closed>> {
        match serde_json::to_vec(message) {
            Ok(text) => self.0.send(text.into()),
            Err(error) => {
                tracing::error!(%error, "a message cannot be serialized");
                Box::pin(ready(Ok(())))
            }
        }
    }
}

/// A client that is notified of changes.
pub(crate) struct Subscriber {
    pub(crate) outbox: Outbox,
    /// The `subscriptions/listen` request and what it asks for; `None` for the client of a session.
    pub(crate) subscription: Option<(RequestId, SubscriptionFilter)>,
}

impl Subscriber {
    /// Returns which notifications the client wants; `None` for all.
    pub(crate) fn filter(&self) -> Option<&SubscriptionFilter> {
        self.subscription.as_ref().map(|(_, filter)| filter)
    }

    /// Sends a notification, with the identifier of the subscription if there is one.
    pub(crate) fn notify(&self, mut notification: ServerNotification) -> BoxFuture<'_, Result<(), Closed>> {
        if let Some((id, _)) = &self.subscription {
            notification.get_meta_mut().set_subscription_id(id.clone());
        }
        self.outbox.notify(notification)
    }
}
