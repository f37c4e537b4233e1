//! Telling clients that what they have read is no longer what it was.

use std::collections::BTreeSet;
use std::sync::Arc;

use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::broadcast::{Receiver, Sender};
use tokio_util::sync::CancellationToken;

use crate::changes::GATHERED;
use crate::protocol::{Session, Subscription};

/// Tells the clients of a server that a resource has changed, if they asked to be told of it.
///
/// Clients that open with `initialize` ask with `resources/subscribe`, later ones while they listen. Many changes of a
/// resource at once are told once. Whoever may not read a resource is not told of it either.
///
/// ```
/// use tool_mcp::{Server, Updates};
///
/// let updates = Updates::new();
/// # let provider = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(provider).name("weather").updates(&updates);
/// // Later, when somebody has written a report:
/// updates.notify("weather://reports");
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Updates(Sender<Arc<str>>);

/// So many changes may wait to be told. Whoever misses some is told that all it wants to know of has changed.
const WAITING: usize = 1024;

impl Updates {
    /// No change yet, and nobody to tell it.
    ///
    /// ```
    /// let updates = tool_mcp::Updates::new();
    /// ```
    #[expect(
        clippy::new_without_default,
        reason = "two of them are told to different clients, which no default says"
    )]
    pub fn new() -> Self {
        Updates(Sender::new(WAITING))
    }

    /// The resource at a URI has changed. URIs are compared as texts: it is spelled as clients read it. Does not wait
    /// until anybody is told.
    ///
    /// ```
    /// # let updates = tool_mcp::Updates::new();
    /// updates.notify("weather://get_weather/Seattle/2014-07-04");
    /// ```
    pub fn notify(&self, uri: impl Into<String>) {
        // That nobody wants to know is no error.
        let _ = self.0.send(uri.into().into());
    }

    /// Notifies the client of a session of what it has subscribed to, until the session ends.
    pub(crate) fn notify_session(&self, session: &Arc<Session>) {
        let (outbox, end) = (session.outbox.clone(), session.end.clone());
        let (watched, mut updates) = (Arc::clone(&session.watched), self.0.subscribe());
        tokio::spawn(end.run_until_cancelled_owned(async move {
            while let Some(changed) = gathered(&mut updates).await {
                for uri in changed.among(&watched.uris()) {
                    if let Err(error) = outbox.notify(notification(uri)).await {
                        tracing::debug!(%error, "a client gets no more notifications of resources");
                        return;
                    }
                }
            }
        }));
    }

    /// Returns a receiver of all changes from now on.
    pub(crate) fn receiver(&self) -> UpdatesReceiver {
        UpdatesReceiver(self.0.subscribe())
    }
}

fn notification(uri: String) -> ServerNotification {
    let params = ResourceUpdatedNotificationParam::new(uri);
    ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(params))
}

/// The changes of resources since the receiver was made.
#[derive(Debug)]
pub(crate) struct UpdatesReceiver(Receiver<Arc<str>>);

impl UpdatesReceiver {
    /// Notifies a client that listens, of the resources that it wants, until the server ends.
    pub(crate) async fn notify(
        self,
        subscription: &Subscription<'_>,
        wanted: &BTreeSet<String>,
        end: &CancellationToken,
    ) {
        let mut updates = self.0;
        let sending = async {
            while let Some(changed) = gathered(&mut updates).await {
                for uri in changed.among(wanted) {
                    if let Err(error) = subscription.notify(notification(uri)).await {
                        tracing::debug!(%error, "a client gets no more notifications of resources");
                        return;
                    }
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = end.cancelled() => {}
            () = sending => {}
        }
    }
}

/// What has changed.
#[derive(Debug)]
enum Changed {
    These(BTreeSet<Arc<str>>),
    /// There was more than could wait.
    AnyOfAll,
}

impl Changed {
    /// Those that somebody wants to know of.
    fn among(&self, wanted: &BTreeSet<String>) -> Vec<String> {
        let told = wanted.iter().filter(|uri| match self {
            Changed::These(uris) => uris.contains(uri.as_str()),
            Changed::AnyOfAll => true,
        });
        told.cloned().collect()
    }
}

/// Waits for a change, and for those that come with it; `None` when there will be no more.
async fn gathered(updates: &mut Receiver<Arc<str>>) -> Option<Changed> {
    let mut changed = match updates.recv().await {
        Ok(uri) => Changed::These(BTreeSet::from([uri])),
        Err(RecvError::Lagged(_)) => Changed::AnyOfAll,
        Err(RecvError::Closed) => return None,
    };
    tokio::time::sleep(GATHERED).await;
    loop {
        match (updates.try_recv(), &mut changed) {
            (Ok(uri), Changed::These(uris)) => drop(uris.insert(uri)),
            (Ok(_), Changed::AnyOfAll) => {}
            (Err(TryRecvError::Lagged(_)), _) => changed = Changed::AnyOfAll,
            (Err(TryRecvError::Empty | TryRecvError::Closed), _) => return Some(changed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(uris: &[&str]) -> BTreeSet<String> {
        uris.iter().map(|uri| (*uri).to_owned()).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn coalesces_and_filters_changes() {
        let updates = Updates::new();
        let mut receiver = updates.0.subscribe();
        for uri in ["a://1", "a://2", "a://1"] {
            updates.notify(uri);
        }
        let changed = gathered(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["a://1", "a://3"])), ["a://1"]);
        updates.notify("a://3");
        let changed = gathered(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["a://1", "a://3"])), ["a://3"]);
    }

    #[tokio::test(start_paused = true)]
    async fn reports_every_wanted_uri_after_a_lag() {
        let updates = Updates::new();
        let mut receiver = updates.0.subscribe();
        for n in 0..=2 * WAITING {
            updates.notify(format!("a://{n}"));
        }
        let changed = gathered(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["b://1"])), ["b://1"]);
    }
}
