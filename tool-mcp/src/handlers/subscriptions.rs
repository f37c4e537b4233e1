//! `resources/subscribe`, `resources/unsubscribe` and `subscriptions/listen`.

use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, NotificationMetaObject, ServerNotification, SubscriptionFilter,
    SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenResult,
};
use serde_json::{Map, Value};

use crate::changes::Changes;
use crate::handlers::Handler;
use crate::protocol::{Closed, MOST_BYTES, MOST_WATCHED, RequestContext, Subscription, resource_not_found};
use crate::updates::Updates;

impl Handler {
    /// Notifies the client of a session from now on when a resource changes, or no longer.
    pub(crate) async fn subscribe(
        &self,
        uri: &str,
        is_wanted: bool,
        cx: &RequestContext,
    ) -> Result<(), ErrorData> {
        let (Some(updates), Some(session)) = (&self.updates, &cx.session) else {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "resources/subscribe", None));
        };
        if !is_wanted {
            session.watched.remove(uri);
            return Ok(());
        }
        if !self.view(cx).await?.leads(uri) {
            return Err(resource_not_found(uri));
        }
        let Some(is_first) = session.watched.add(uri.to_owned()) else {
            let message = format!(
                "no more than {MOST_WATCHED} resources, whose URIs have {MOST_BYTES} bytes together, are watched: \
                 unsubscribe from some"
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        if is_first {
            updates.notify_session(session);
        }
        Ok(())
    }

    /// Notifies a client of changes until it leaves or the server ends.
    pub(crate) async fn listen(
        &self,
        params: &Map<String, Value>,
        cx: &RequestContext,
    ) -> Result<SubscriptionsListenResult, ErrorData> {
        let requested = params.get("notifications").cloned().unwrap_or_default();
        let requested: SubscriptionFilter = serde_json::from_value(requested).map_err(|_| {
            ErrorData::invalid_params("`notifications` must say what the client listens to", None)
        })?;
        // From now on no change is missed.
        let changes = self.changes.as_ref().map(Changes::receiver);
        let updates = self.updates.as_ref().map(Updates::receiver);
        let accepted = self.accepted(requested);
        let mut acknowledged = SubscriptionsAcknowledgedNotification::new(
            SubscriptionsAcknowledgedNotificationParams::new(accepted.clone()),
        );
        let mut meta = NotificationMetaObject::new();
        meta.set_subscription_id(cx.id.clone());
        acknowledged.extensions.insert(meta);
        let acknowledged = ServerNotification::SubscriptionsAcknowledgedNotification(acknowledged);
        let unread = |error: Closed| ErrorData::internal_error(error.to_string(), None);
        cx.outbox.notify(acknowledged).await.map_err(unread)?;

        let subscription = Subscription { accepted, cx };
        let lists = async {
            if let Some(changes) = changes {
                changes.notify(&subscription, &self.end).await;
            }
        };
        let contents = async {
            let Some(updates) = updates else { return Ok(()) };
            let view = self.view(cx).await?;
            let uris = subscription.accepted.resource_subscriptions.iter().flatten().take(MOST_WATCHED);
            // Whoever may not read a resource is not notified of it.
            let uris = uris.filter(|uri| view.leads(uri)).cloned().collect();
            drop(view);
            updates.notify(&subscription, &uris, &self.end).await;
            Ok(())
        };
        tokio::join!(lists, contents).1?;
        let mut result = SubscriptionsListenResult::complete(cx.id.clone());
        result.meta.set_server_info(self.config.server_info.clone());
        Ok(result)
    }

    /// Returns the part of a filter that the server notifies of.
    fn accepted(&self, requested: SubscriptionFilter) -> SubscriptionFilter {
        let lists = |wanted: Option<bool>| wanted.filter(|wanted| *wanted && self.changes.is_some());
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = lists(requested.tools_list_changed);
        accepted.prompts_list_changed = lists(requested.prompts_list_changed);
        accepted.resources_list_changed = lists(requested.resources_list_changed);
        let uris = requested.resource_subscriptions.filter(|uris| !uris.is_empty() && self.updates.is_some());
        accepted.resource_subscriptions = uris;
        accepted
    }
}
