//! Telling clients that the lists have changed.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

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

/// How often somebody looks whether a client is still there to be told.
const LOOKED_AFTER: Duration = Duration::from_secs(30);

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

    /// Tells a client of a session, as long as it is there.
    pub(crate) fn tell(&self, peer: Peer<RoleServer>) {
        let mut changes = self.0.subscribe();
        tokio::spawn(async move {
            while !peer.is_transport_closed() {
                // Only the waiting is cut short: a change that has come is told.
                match timeout(LOOKED_AFTER, changes.changed()).await {
                    Err(_) => continue,
                    Ok(Err(_)) => break,
                    Ok(Ok(())) => gather(&mut changes).await,
                }
                let told = async {
                    peer.notify_tool_list_changed().await?;
                    peer.notify_prompt_list_changed().await?;
                    peer.notify_resource_list_changed().await
                };
                match timeout(UNREAD, told).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => {
                        tracing::debug!(%error, "a client cannot be told of a change");
                        break;
                    }
                    Err(_) => {
                        tracing::warn!("a client does not read what it is told, and is told no more");
                        break;
                    }
                }
            }
        });
    }

    /// All changes from now on.
    pub(crate) fn heard(&self) -> HeardChanges {
        HeardChanges(self.0.subscribe())
    }
}

/// The changes of lists since somebody began to hear of them.
#[derive(Debug)]
pub(crate) struct HeardChanges(watch::Receiver<u64>);

impl HeardChanges {
    /// Tells a client that listens, of what it wants to know, until it or the server ends.
    pub(crate) async fn tell(self, listener: &SubscriptionContext, end: &CancellationToken) {
        let mut changes = self.0;
        let (accepted, sink) = (listener.accepted().clone(), listener.sink());
        loop {
            tokio::select! {
                () = listener.cancelled() => break,
                () = end.cancelled() => break,
                changed = changes.changed() => if changed.is_err() { break },
            }
            gather(&mut changes).await;
            let told = async {
                if accepted.tools_list_changed == Some(true) {
                    sink.notify_tool_list_changed().await?;
                }
                if accepted.prompts_list_changed == Some(true) {
                    sink.notify_prompt_list_changed().await?;
                }
                if accepted.resources_list_changed == Some(true) {
                    sink.notify_resource_list_changed().await?;
                }
                Ok::<_, rmcp::service::SubscriptionSendError>(())
            };
            // One that does not read what it is told holds nobody up.
            let told = tokio::select! {
                () = listener.cancelled() => break,
                () = end.cancelled() => break,
                told = timeout(UNREAD, told) => told,
            };
            match told {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a listener cannot be told of a change");
                    break;
                }
                Err(_) => {
                    tracing::warn!("a listener does not read what it is told, and is let go");
                    break;
                }
            }
        }
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

    // Row 83 of the list of faults.
    #[tokio::test(start_paused = true)]
    async fn a_listener_that_never_reads_is_let_go_with_a_word_in_the_log() {
        let log = CapturedLog::default();
        let _logging = tracing::subscriber::set_default(log.subscriber());
        let changes = Changes::new();
        let registry = Registry::builder().allow_empty().build().unwrap();
        let handler = Server::new(registry).changes(&changes).opened(None).await.unwrap();

        // So little that a few notifications fill it.
        let (ours, theirs) = tokio::io::duplex(512);
        let (reader, writer) = tokio::io::split(theirs);
        let serving = tokio::spawn(crate::stdio::speak(handler, reader, writer));
        let (reader, mut writer) = tokio::io::split(ours);
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

        let begun = tokio::time::Instant::now();
        while changes.0.receiver_count() > 0 {
            assert!(begun.elapsed() < 3 * UNREAD, "it is still told");
            changes.notify();
            tokio::time::sleep(GATHERED).await;
        }
        let text = log.text();
        assert!(text.contains("WARN") && text.contains("does not read what it is told"), "{text}");

        // Of hundreds of changes it was kept what fits between the two.
        writer.shutdown().await.unwrap();
        let mut kept = String::new();
        reader.read_to_string(&mut kept).await.unwrap();
        assert!(kept.lines().count() < 12, "{kept}");
        serving.await.unwrap().unwrap();
    }
}
