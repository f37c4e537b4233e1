//! `resources/subscribe`, `resources/unsubscribe` and `subscriptions/listen`.

use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, JsonObject, NotificationMetaObject, ServerJsonRpcMessage, ServerNotification,
    SubscriptionFilter, SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenResult,
};
use serde_json::{Map, Value};
use tool_core::{Failure, FailureKind};

use crate::catalog::Target;
use crate::catalog::routes::RouteMatch;
use crate::catalog::view::CatalogView;
use crate::changes::{Changes, send_changes};
use crate::handlers::Handler;
use crate::protocol::{
    Closed, MOST_URI_BYTES, RequestContext, RpcResult, SubscribedUris, Subscriber, invalid_params,
    method_not_found, resource_not_found, shutting_down, too_many_subscriptions,
};
use crate::render::read_error::read_error;
use crate::render::resource_contents::arguments;
use crate::updates::{Updates, send_updates};

impl Handler {
    /// Subscribes the client of a session to a resource, or unsubscribes it.
    pub(crate) async fn subscribe(&self, uri: &str, is_wanted: bool, cx: &RequestContext) -> RpcResult<()> {
        let (Some(updates), Some(session)) = (&self.updates, &cx.session) else {
            return Err(method_not_found("resources/subscribe"));
        };
        if !is_wanted {
            session.subscribed.remove(uri);
            return Ok(());
        }
        let view = self.view(cx).await?;
        let undecided = |failure: Failure| {
            read_error(&failure, failure.text(), JsonObject::new(), ErrorCode::RESOURCE_NOT_FOUND)
        };
        if !may_read(uri, &view).await.map_err(undecided)? {
            return Err(resource_not_found(uri));
        }
        let Some(is_first) = session.subscribed.add(uri.to_owned()) else {
            return Err(too_many_subscriptions(MOST_URI_BYTES));
        };
        if is_first {
            updates.notify_session(session);
        }
        Ok(())
    }

    /// Notifies a client of changes until it leaves or the server shuts down.
    pub(crate) async fn listen(
        &self,
        params: &Map<String, Value>,
        cx: &RequestContext,
    ) -> RpcResult<SubscriptionsListenResult> {
        #[cfg(feature = "tasks")]
        let tasks = self.listened_tasks(params, cx).await?;
        #[cfg(feature = "tasks")]
        let has_tasks = tasks.is_some();
        #[cfg(not(feature = "tasks"))]
        let has_tasks = false;
        if self.changes.is_none() && self.updates.is_none() && !has_tasks {
            return Err(method_not_found("subscriptions/listen"));
        }
        let requested = requested(params)?;
        // From now on no change is missed.
        let changes = self.changes.as_ref().map(Changes::receiver);
        let updates = self.updates.as_ref().map(Updates::receiver);
        let accepted = self.accepted(requested, cx);
        let Some(accepted) = self.end.run_until_cancelled(accepted).await else {
            return Err(shutting_down());
        };
        let accepted = accepted?;
        let acknowledged = acknowledgement(&accepted, cx);
        #[cfg(feature = "tasks")]
        let acknowledged = match &tasks {
            Some(tasks) => tasks.acknowledge(&acknowledged),
            None => serde_json::to_value(&acknowledged).unwrap_or_default(),
        };
        let unread = |error: Closed| ErrorData::internal_error(error.to_string(), None);
        cx.outbox.send(&acknowledged).await.map_err(unread)?;

        let uris = accepted.resource_subscriptions.clone();
        let subscription = Some((cx.id.clone(), accepted));
        let subscriber = Subscriber { outbox: cx.outbox.clone(), subscription };
        let lists = async {
            let Some(changes) = changes else { return };
            let sending = self.end.run_until_cancelled(send_changes(changes, &subscriber)).await;
            if let Some(reason) = sending.flatten() {
                tracing::warn!(reason, "a subscription ends");
            }
        };
        let contents = async {
            let Some(updates) = updates else { return };
            let subscribed = SubscribedUris::of(uris.into_iter().flatten());
            self.end.run_until_cancelled(send_updates(updates, &subscriber, &subscribed)).await;
        };
        #[cfg(feature = "tasks")]
        let tasks = async {
            let Some(tasks) = &tasks else { return };
            self.end.run_until_cancelled(self.send_tasks(tasks, cx)).await;
        };
        #[cfg(not(feature = "tasks"))]
        let tasks = std::future::ready(());
        tokio::join!(lists, contents, tasks);
        let mut result = SubscriptionsListenResult::complete(cx.id.clone());
        result.meta.set_server_info(self.config.server_info.clone());
        Ok(result)
    }

    /// Returns the part of a filter that the server supports, with the resources that the caller may read.
    async fn accepted(
        &self,
        requested: SubscriptionFilter,
        cx: &RequestContext,
    ) -> RpcResult<SubscriptionFilter> {
        let lists = |wanted: Option<bool>| wanted.filter(|wanted| *wanted && self.changes.is_some());
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = lists(requested.tools_list_changed);
        accepted.prompts_list_changed = lists(requested.prompts_list_changed);
        accepted.resources_list_changed = lists(requested.resources_list_changed);
        let uris = requested.resource_subscriptions.filter(|uris| !uris.is_empty() && self.updates.is_some());
        if let Some(uris) = uris {
            let (view, within_limits) = (self.view(cx).await?, SubscribedUris::default());
            let mut readable = Vec::new();
            for uri in uris {
                // A failure of the moment leaves a resource out: the client sees which ones are acknowledged.
                if within_limits.add(uri.clone()).is_some() && may_read(&uri, &view).await.unwrap_or(false) {
                    readable.push(uri);
                }
            }
            accepted.resource_subscriptions = Some(readable);
        }
        Ok(accepted)
    }
}

/// Returns whether the caller may read a URI. An access function decides by the values in the URI: its tool is called.
///
/// # Errors
///
/// When the call ended without a decision, for example since there are too many calls.
async fn may_read(uri: &str, view: &CatalogView) -> Result<bool, Failure> {
    if !view.resolves(uri) {
        return Ok(false);
    }
    let found = view.catalog.resources().routes.find(uri);
    let Some(RouteMatch::Found(Target::Tool(name), values)) = found else { return Ok(true) };
    let Some(tool) = view.registry.get(name).filter(|tool| tool.guarded()) else { return Ok(true) };
    let (arguments, options) = (arguments(tool, &values), view.options.clone().full_results());
    let reply = view.registry.call_with(name, arguments.as_bytes(), &options).await;
    match reply.result {
        Ok(_) => Ok(true),
        Err(failure) => match failure.kind() {
            // A failure of the tool itself comes after the decision.
            FailureKind::Failed(_) => Ok(true),
            FailureKind::Denied | FailureKind::Disabled | FailureKind::NotFound | FailureKind::Input => {
                Ok(false)
            }
            _ => Err(failure),
        },
    }
}

/// Returns what a client wants to listen to.
fn requested(params: &Map<String, Value>) -> RpcResult<SubscriptionFilter> {
    let requested = params.get("notifications").cloned().unwrap_or_default();
    serde_json::from_value(requested)
        .map_err(|_| invalid_params("`notifications` must say what the client listens to"))
}

/// Returns the notification of what a client listens to.
fn acknowledgement(accepted: &SubscriptionFilter, cx: &RequestContext) -> ServerJsonRpcMessage {
    let mut acknowledged = SubscriptionsAcknowledgedNotification::new(
        SubscriptionsAcknowledgedNotificationParams::new(accepted.clone()),
    );
    let mut meta = NotificationMetaObject::new();
    meta.set_subscription_id(cx.id.clone());
    acknowledged.extensions.insert(meta);
    let acknowledged = ServerNotification::SubscriptionsAcknowledgedNotification(acknowledged);
    ServerJsonRpcMessage::notification(acknowledged)
}
