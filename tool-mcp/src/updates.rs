//! Notifications that resources have changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_core::Stream;
use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::broadcast::{Receiver, Sender};

use crate::changes::{DEBOUNCE, for_each};
use crate::protocol::{Session, SubscribedUris, Subscriber};

/// Notifies the clients of a server that a resource has changed, if they have subscribed to it.
///
/// Older clients subscribe with `resources/subscribe`, clients of 2026-07-28 with `subscriptions/listen`. Changes of a
/// resource within a short time become one notification. A caller is only notified of resources that it may read: a tool with
/// an access function is called once, when the client subscribes.
///
/// ```
/// let updates = tool_mcp::Updates::new();
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).name("weather").updates(&updates);
/// // Later, when there is a new report:
/// updates.notify("weather://reports");
/// ```
#[derive(Clone, Debug)]
pub struct Updates(Sender<Update>);

/// What may have changed, see [`Updates::follow`].
///
/// ```
/// use tool_mcp::Update;
///
/// let update = Update::resource("weather://reports");
/// assert_ne!(update, Update::Any);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Update {
    /// The resource at this URI.
    Resource(Arc<str>),
    /// Any resource, for example because messages were lost.
    Any,
}

impl Update {
    /// Creates the update of the resource at a URI.
    ///
    /// ```
    /// # use tool_mcp::Update;
    /// assert_eq!(Update::resource("weather://reports"), Update::Resource("weather://reports".into()));
    /// ```
    pub fn resource(uri: impl Into<String>) -> Self {
        Update::Resource(uri.into().into())
    }
}

/// The most changes that wait for a client. A client that misses some is notified of everything that it has subscribed to.
const CAPACITY: usize = 1024;

impl Updates {
    /// Creates a handle. Its clones notify the same clients.
    ///
    /// ```
    /// let updates = tool_mcp::Updates::new();
    /// ```
    #[expect(clippy::new_without_default, reason = "a default would suggest that all handles are equal")]
    pub fn new() -> Self {
        Updates(Sender::new(CAPACITY))
    }

    /// Notifies clients that the resource at a URI has changed, without waiting. URIs are compared as texts.
    ///
    /// ```
    /// # let updates = tool_mcp::Updates::new();
    /// updates.notify("weather://get_weather/Seattle/2014-07-04");
    /// ```
    pub fn notify(&self, uri: impl Into<String>) {
        self.send(Update::resource(uri));
    }

    /// Notifies clients that any resource may have changed, without waiting: each client of all that it has subscribed to.
    ///
    /// ```
    /// # let updates = tool_mcp::Updates::new();
    /// updates.notify_all();
    /// ```
    pub fn notify_all(&self) {
        self.send(Update::Any);
    }

    /// Notifies clients of each item of a stream, such as a message from another machine, until the stream ends.
    ///
    /// The future does nothing until it is polled: spawn it, or poll it beside the server. If it is dropped, or its task is
    /// aborted, it drops the stream and notifies no more. An item that was taken from the stream has been notified by then.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use futures_util::stream;
    /// use tool_mcp::{Update, Updates};
    ///
    /// let updates = Updates::new();
    /// let received = stream::iter([Update::resource("weather://reports"), Update::Any]);
    /// let following = tokio::spawn(updates.follow(received));
    /// // The stream ends, and so does the task.
    /// following.await.unwrap();
    /// # }
    /// ```
    pub fn follow<S: Stream<Item = Update>>(&self, stream: S) -> impl Future<Output = ()> + use<S> {
        let updates = self.clone();
        for_each(stream, move |update| updates.send(update))
    }

    fn send(&self, update: Update) {
        // Without subscribers, sending fails.
        let _ = self.0.send(update);
    }

    /// Notifies the client of a session from now on, until the session ends.
    pub(crate) fn notify_session(&self, session: &Arc<Session>) {
        let (subscriber, subscribed, updates) =
            (session.subscriber(), Arc::clone(&session.subscribed), self.receiver());
        tokio::spawn(session.end.clone().run_until_cancelled_owned(async move {
            send_updates(updates, &subscriber, &subscribed).await;
        }));
    }

    /// Returns a receiver of all changes from now on.
    pub(crate) fn receiver(&self) -> Receiver<Update> {
        self.0.subscribe()
    }
}

/// Notifies a client of changes of the subscribed resources, until it leaves.
pub(crate) async fn send_updates(
    mut updates: Receiver<Update>,
    subscriber: &Subscriber,
    subscribed: &SubscribedUris,
) {
    while let Some(changed) = next_changed(&mut updates).await {
        for uri in changed.among(&subscribed.uris()) {
            if let Err(error) = subscriber.notify(updated(uri)).await {
                tracing::debug!(%error, "a client gets no more notifications of resources");
                return;
            }
        }
    }
}

/// Returns the notification of a resource that has changed.
pub(crate) fn updated(uri: String) -> ServerNotification {
    let params = ResourceUpdatedNotificationParam::new(uri);
    ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(params))
}

enum Changed {
    These(BTreeSet<Arc<str>>),
    /// The receiver has missed changes, or was told that any resource may have changed.
    Any,
}

impl Changed {
    /// Returns the wanted URIs that may have changed.
    fn among(&self, wanted: &BTreeSet<String>) -> Vec<String> {
        let changed = wanted.iter().filter(|uri| match self {
            Changed::These(uris) => uris.contains(uri.as_str()),
            Changed::Any => true,
        });
        changed.cloned().collect()
    }
}

/// Waits for a change and those that follow shortly; `None` if the sender is dropped.
async fn next_changed(updates: &mut Receiver<Update>) -> Option<Changed> {
    let mut changed = match updates.recv().await {
        Ok(Update::Resource(uri)) => Changed::These(BTreeSet::from([uri])),
        Ok(Update::Any) | Err(RecvError::Lagged(_)) => Changed::Any,
        Err(RecvError::Closed) => return None,
    };
    tokio::time::sleep(DEBOUNCE).await;
    loop {
        match (updates.try_recv(), &mut changed) {
            (Ok(Update::Resource(uri)), Changed::These(uris)) => drop(uris.insert(uri)),
            (Ok(Update::Resource(_)), Changed::Any) => {}
            (Ok(Update::Any) | Err(TryRecvError::Lagged(_)), _) => changed = Changed::Any,
            (Err(TryRecvError::Empty | TryRecvError::Closed), _) => return Some(changed),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

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
        let changed = next_changed(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["a://1", "a://3"])), ["a://1"]);
        updates.notify("a://3");
        let changed = next_changed(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["a://1", "a://3"])), ["a://3"]);
    }

    #[tokio::test(start_paused = true)]
    async fn reports_every_wanted_uri_after_a_lag() {
        let updates = Updates::new();
        let mut receiver = updates.0.subscribe();
        for n in 0..=2 * CAPACITY {
            updates.notify(format!("a://{n}"));
        }
        let changed = next_changed(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["b://1"])), ["b://1"]);
    }
    #[tokio::test(start_paused = true)]
    async fn reports_every_wanted_uri_if_any_may_have_changed() {
        let updates = Updates::new();
        let mut receiver = updates.0.subscribe();
        updates.notify("a://1");
        updates.notify_all();
        updates.notify("a://2");
        let changed = next_changed(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["b://1"])), ["b://1"]);
    }

    #[tokio::test(start_paused = true)]
    async fn follows_a_stream_until_it_ends() {
        let updates = Updates::new();
        let mut receiver = updates.0.subscribe();
        let (sender, stream) = channel();
        let following = tokio::spawn(updates.follow(stream));
        sender.send(Update::resource("a://1")).unwrap();
        let changed = next_changed(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["a://1", "a://2"])), ["a://1"]);
        sender.send(Update::Any).unwrap();
        let changed = next_changed(&mut receiver).await.unwrap();
        assert_eq!(changed.among(&wanted(&["a://1", "a://2"])), ["a://1", "a://2"]);
        drop(sender);
        following.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn drops_the_stream_with_the_future() {
        let updates = Updates::new();
        let (sender, stream) = channel();
        let following = tokio::spawn(updates.follow(stream));
        following.abort();
        sender.closed().await;
        assert!(following.await.unwrap_err().is_cancelled());
    }

    fn channel() -> (UnboundedSender<Update>, impl Stream<Item = Update>) {
        let (sender, mut receiver) = unbounded_channel();
        (sender, futures_util::stream::poll_fn(move |context| receiver.poll_recv(context)))
    }
}
