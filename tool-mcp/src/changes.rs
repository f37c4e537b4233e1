//! Telling clients that the lists have changed.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
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
                match tokio::time::timeout(LOOKED_AFTER, changes.changed()).await {
                    Err(_) => continue,
                    Ok(Err(_)) => break,
                    Ok(Ok(())) => gather(&mut changes).await,
                }
                let told = async {
                    peer.notify_tool_list_changed().await?;
                    peer.notify_prompt_list_changed().await?;
                    peer.notify_resource_list_changed().await
                };
                if let Err(error) = told.await {
                    tracing::debug!(%error, "a client cannot be told of a change");
                    break;
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
                told = told => told,
            };
            if let Err(error) = told {
                tracing::debug!(%error, "a listener cannot be told of a change");
                break;
            }
        }
    }
}

/// Waits for the changes that come with one.
async fn gather(changes: &mut watch::Receiver<u64>) {
    tokio::time::sleep(GATHERED).await;
    changes.mark_unchanged();
}
