//! Notifying clients that the lists have changed.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ServerNotification, SubscriptionFilter,
    ToolListChangedNotification,
};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::protocol::{Closed, Session, Subscription};

/// Tells the clients of a server that its lists have changed, where tools, prompts or resources come and go.
///
/// Clients that open with `initialize` are told as soon as they are there; later ones, while they listen. Many changes at
/// once are told once.
///
/// ```
/// use tool_mcp::{Changes, Server};
///
/// let changes = Changes::new();
/// # let provider = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = Server::new(provider).changes(&changes);
/// // Later, when the provider has other tools:
/// changes.notify();
/// # server.into_axum_router().unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Changes(watch::Sender<u64>);

/// How long changes are gathered before they are told.
pub(crate) const GATHERED: Duration = Duration::from_millis(100);

/// How long a client may leave unread what it is told. Until then one change is on its way to it, and all that come
/// meanwhile are one more.
const UNREAD: Duration = Duration::from_secs(30);

impl Changes {
    /// No change yet, and nobody to tell it.
    ///
    /// ```
    /// let changes = tool_mcp::Changes::new();
    /// ```
    #[expect(
        clippy::new_without_default,
        reason = "two of them are told to different clients, which no default says"
    )]
    pub fn new() -> Self {
        Changes(watch::Sender::new(0))
    }

    /// The lists have changed. Does not wait until anybody is told.
    ///
    /// ```
    /// # let changes = tool_mcp::Changes::new();
    /// changes.notify();
    /// ```
    pub fn notify(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Notifies the client of a session until it ends.
    pub(crate) fn notify_session(&self, session: &Arc<Session>) {
        let (outbox, end) = (session.outbox.clone(), session.end.clone());
        let mut changes = self.0.subscribe();
        tokio::spawn(end.run_until_cancelled_owned(async move {
            while changes.changed().await.is_ok() {
                gather(&mut changes).await;
                let sent = async {
                    for notification in notifications(None) {
                        outbox.notify(notification).await?;
                    }
                    Ok::<(), Closed>(())
                };
                if let Some(reason) = unread(&timeout(UNREAD, sent).await) {
                    tracing::debug!(reason, "a client gets no more notifications of changes");
                    return;
                }
            }
        }));
    }

    /// Returns a receiver of all changes from now on.
    pub(crate) fn receiver(&self) -> ChangesReceiver {
        ChangesReceiver(self.0.subscribe())
    }
}

/// The changes of lists since the receiver was made.
#[derive(Debug)]
pub(crate) struct ChangesReceiver(watch::Receiver<u64>);

impl ChangesReceiver {
    /// Notifies a client that listens until the server ends.
    pub(crate) async fn notify(self, subscription: &Subscription<'_>, end: &CancellationToken) {
        let mut changes = self.0;
        let sending = async {
            while changes.changed().await.is_ok() {
                gather(&mut changes).await;
                let sent = async {
                    for notification in notifications(Some(&subscription.accepted)) {
                        subscription.notify(notification).await?;
                    }
                    Ok::<(), Closed>(())
                };
                if let Some(reason) = unread(&timeout(UNREAD, sent).await) {
                    tracing::warn!(reason, "a subscription ends");
                    return;
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

/// Returns the notifications of changed lists that a client wants; all without a filter.
fn notifications(filter: Option<&SubscriptionFilter>) -> impl Iterator<Item = ServerNotification> {
    let wants = |wanted: fn(&SubscriptionFilter) -> Option<bool>| {
        filter.is_none_or(|filter| wanted(filter) == Some(true))
    };
    let tools = wants(|filter| filter.tools_list_changed)
        .then(|| ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default()));
    let prompts = wants(|filter| filter.prompts_list_changed)
        .then(|| ServerNotification::PromptListChangedNotification(PromptListChangedNotification::default()));
    let resources = wants(|filter| filter.resources_list_changed).then(|| {
        ServerNotification::ResourceListChangedNotification(ResourceListChangedNotification::default())
    });
    [tools, prompts, resources].into_iter().flatten()
}

/// Returns why notifications were not sent.
fn unread<E>(sent: &Result<Result<(), Closed>, E>) -> Option<&'static str> {
    match sent {
        Ok(Ok(())) => None,
        Ok(Err(Closed)) => Some("the client has left"),
        Err(_) => Some("the client does not read its notifications"),
    }
}

/// Waits for the changes that come with one.
async fn gather(changes: &mut watch::Receiver<u64>) {
    sleep(GATHERED).await;
    changes.mark_unchanged();
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
    use tool_core::Registry;

    use super::*;
    use crate::captured_log::CapturedLog;
    use crate::server::Server;

    #[tokio::test(start_paused = true)]
    async fn row_83_drops_a_subscriber_that_never_reads() {
        let log = CapturedLog::default();
        let _logging = tracing::subscriber::set_default(log.subscriber());
        let changes = Changes::new();
        let registry = Registry::builder().allow_empty().build().unwrap();
        let handler = Server::new(registry).changes(&changes).opened(None).await.unwrap();

        // A few notifications fill the buffer.
        let (client_end, server_end) = tokio::io::duplex(512);
        let (reader, writer) = tokio::io::split(server_end);
        let serving = tokio::spawn(crate::stdio::speak(handler, reader, writer));
        let (reader, mut writer) = tokio::io::split(client_end);
        let mut reader = BufReader::with_capacity(1, reader);
        let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
            "notifications": {"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }});
        writer.write_all(format!("{listen}\n").as_bytes()).await.unwrap();
        let mut acknowledged = String::new();
        reader.read_line(&mut acknowledged).await.unwrap();
        assert!(acknowledged.contains("acknowledged"), "{acknowledged}");
        assert_eq!(changes.0.receiver_count(), 1);

        let started = tokio::time::Instant::now();
        while changes.0.receiver_count() > 0 {
            assert!(started.elapsed() < 3 * UNREAD, "it is still subscribed");
            changes.notify();
            tokio::time::sleep(GATHERED).await;
        }
        let text = log.text();
        assert!(text.contains("WARN") && text.contains("does not read its notifications"), "{text}");

        // Only the notifications that fit in the buffer were kept.
        writer.shutdown().await.unwrap();
        let mut kept = String::new();
        reader.read_to_string(&mut kept).await.unwrap();
        assert!(kept.lines().count() < 12, "{kept}");
        serving.await.unwrap().unwrap();
    }
}
