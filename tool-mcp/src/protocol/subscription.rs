//! A client of 2026-07-28 that listens.

use rmcp::model::{GetMeta as _, ServerNotification, SubscriptionFilter};

use crate::protocol::context::RequestContext;
use crate::protocol::outbox::Closed;

/// A request to listen.
pub(crate) struct Subscription<'c> {
    /// What the client listens to.
    pub(crate) accepted: SubscriptionFilter,
    pub(crate) cx: &'c RequestContext,
}

impl Subscription<'_> {
    /// Sends a notification with the identifier of the subscription.
    pub(crate) async fn notify(&self, mut notification: ServerNotification) -> Result<(), Closed> {
        notification.get_meta_mut().set_subscription_id(self.cx.id.clone());
        self.cx.outbox.notify(notification).await
    }
}
