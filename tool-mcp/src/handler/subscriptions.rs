//! `resources/subscribe`, `resources/unsubscribe` and `subscriptions/listen`.

use std::sync::Arc;

use rmcp::model::{SubscribeRequestMethod, UnsubscribeRequestMethod};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};

use crate::reading::not_found;
use crate::session::{Ear, Session};
use crate::updates::{MOST_BYTES, MOST_WATCHED};

impl Session {
    /// Tells the client of a session from now on when a resource changes.
    pub(super) async fn watch(&self, uri: String, cx: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let Some(updates) = &self.updates else {
            return Err(ErrorData::method_not_found::<SubscribeRequestMethod>());
        };
        if !self.offer(&cx).await?.leads(&uri) {
            return Err(not_found(&uri));
        }
        let Some(is_first) = self.watched.add(uri) else {
            let message = format!(
                "no more than {MOST_WATCHED} resources, whose URIs have {MOST_BYTES} bytes together, are watched: \
                 unsubscribe from some"
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        if is_first {
            updates.tell(cx.peer, Arc::clone(&self.watched), self.over.clone());
        }
        Ok(())
    }

    /// Tells it no more.
    pub(super) fn unwatch(&self, uri: &str) -> Result<(), ErrorData> {
        if self.updates.is_none() {
            return Err(ErrorData::method_not_found::<UnsubscribeRequestMethod>());
        }
        self.watched.remove(uri);
        Ok(())
    }

    /// Tells a client that listens of changes, until it or the server ends.
    pub(super) async fn tell(&self, listener: &SubscriptionContext) -> Result<(), ErrorData> {
        let Some(Ear { lists, contents }) = self.ear() else {
            return Err(ErrorData::internal_error("too many subscriptions begin at once: try again", None));
        };
        let lists = async {
            if let Some(lists) = lists {
                lists.tell(listener, &self.end).await;
            }
        };
        let contents = async {
            let Some(contents) = contents else { return Ok(()) };
            let offer = self.offer(listener.request_context()).await?;
            let wanted = listener.accepted().resource_subscriptions.iter().flatten().take(MOST_WATCHED);
            // Whoever may not read a resource is told nothing of it.
            let wanted = wanted.filter(|uri| offer.leads(uri)).cloned().collect();
            contents.tell(listener, &wanted, &self.end).await;
            Ok(())
        };
        tokio::join!(lists, contents).1
    }
}
