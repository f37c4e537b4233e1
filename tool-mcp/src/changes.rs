//! Notifications that lists have changed.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ServerNotification, SubscriptionFilter,
    ToolListChangedNotification,
};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::protocol::{Closed, Session, Subscriber};

/// Notifies the clients of a server that its lists have changed, if its tools, prompts or resources come and go.
///
/// Older clients are notified once they are initialized, clients of 2026-07-28 while they listen. Changes within a short time
/// become one notification.
///
/// ```
/// let changes = tool_mcp::Changes::new();
/// # let registry = tool_core::Registry::builder().allow_empty().build().unwrap();
/// let server = tool_mcp::Server::new(registry).changes(&changes);
/// // Later, when the provider has other tools:
/// changes.notify();
/// ```
#[derive(Clone, Debug)]
pub struct Changes(watch::Sender<u64>);

/// How long changes are collected before clients are notified.
pub(crate) const DEBOUNCE: Duration = Duration::from_millis(100);

/// How long sending a notification may take. Changes in the meantime become one more notification.
pub(crate) const SEND_TIMEOUT: Duration = Duration::from_secs(30);

impl Changes {
    /// Creates a handle. Its clones notify the same clients.
    ///
    /// ```
    /// let changes = tool_mcp::Changes::new();
    /// ```
    #[expect(clippy::new_without_default, reason = "a default would suggest that all handles are equal")]
    pub fn new() -> Self {
        Changes(watch::Sender::new(0))
    }

    /// Notifies clients that the lists have changed, without waiting.
    ///
    /// ```
    /// # let changes = tool_mcp::Changes::new();
    /// changes.notify();
    /// ```
    pub fn notify(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Notifies clients for each item of a stream, such as a message from another machine, until the stream ends.
    ///
    /// The future does nothing until it is polled: spawn it, or poll it beside the server. If it is dropped, or its task is
    /// aborted, it drops the stream and notifies no more. An item that was taken from the stream has been notified by then.
    ///
    /// Clients read the lists as soon as they are notified, so a provider must have its new tools before the stream yields.
    ///
    /// Each item lets all clients read all lists again, also one that only says that a connection was lost and is back. If the
    /// provider is [`Cached`](tool_core::provider::Cached), refresh it with each item instead, and notify clients from its
    /// `on_change`, which is called only if there are other tools or prompts:
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use futures_util::{StreamExt, stream};
    /// use tool_core::Registry;
    /// use tool_core::provider::{Cached, IntoToolsProvider};
    ///
    /// # let messages = stream::iter(["connected again"]);
    /// let changes = tool_mcp::Changes::new();
    /// let notifier = changes.clone();
    /// // With this option, a refresh queries at once.
    /// let cached = Cached::new(Duration::from_secs(60), || Registry::builder().allow_empty().build())
    ///     .stale_while_revalidate(Duration::from_secs(600))
    ///     .on_change(move || notifier.notify());
    /// let cached = Arc::new(cached);
    /// let server = tool_mcp::Server::new(Arc::clone(&cached).into_provider()).changes(&changes);
    /// let following = tokio::spawn(messages.for_each(move |_| {
    ///     cached.refresh();
    ///     std::future::ready(())
    /// }));
    /// # following.await.unwrap();
    /// # }
    /// ```
    ///
    /// Without a cache:
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// use futures_util::stream;
    ///
    /// let changes = tool_mcp::Changes::new();
    /// let following = tokio::spawn(changes.follow(stream::iter(["the tools were edited"])));
    /// // The stream ends, and so does the task.
    /// following.await.unwrap();
    /// # }
    /// ```
    pub fn follow<S: Stream>(&self, stream: S) -> impl Future<Output = ()> + use<S> {
        let changes = self.clone();
        for_each(stream, move |_| changes.notify())
    }

    /// Notifies the client of a session from now on, until the session ends.
    pub(crate) fn notify_session(&self, session: &Arc<Session>) {
        let (subscriber, changes) = (session.subscriber(), self.receiver());
        tokio::spawn(session.end.clone().run_until_cancelled_owned(async move {
            if let Some(reason) = send_changes(changes, &subscriber).await {
                tracing::debug!(reason, "a client gets no more notifications of changes");
            }
        }));
    }

    /// Returns a receiver of all changes from now on.
    pub(crate) fn receiver(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}

/// Calls a function with each item of a stream, until the stream ends.
pub(crate) async fn for_each<S: Stream>(stream: S, mut call: impl FnMut(S::Item)) {
    let mut stream = pin!(stream);
    while let Some(item) = poll_fn(|context| stream.as_mut().poll_next(context)).await {
        call(item);
    }
}

/// Notifies a client of changes. Returns why it gets no more notifications; `None` if the sender is dropped.
pub(crate) async fn send_changes(
    mut changes: watch::Receiver<u64>,
    subscriber: &Subscriber,
) -> Option<&'static str> {
    while changes.changed().await.is_ok() {
        sleep(DEBOUNCE).await;
        changes.mark_unchanged();
        let sending = async {
            for notification in list_changes(subscriber.filter()) {
                subscriber.notify(notification).await?;
            }
            Ok(())
        };
        match timeout(SEND_TIMEOUT, sending).await {
            Ok(Ok(())) => {}
            Ok(Err(Closed)) => return Some("the client has left"),
            Err(_) => return Some("the client does not read its notifications"),
        }
    }
    None
}

/// Returns the notifications of changed lists that a client wants; all without a filter.
pub(crate) fn list_changes(filter: Option<&SubscriptionFilter>) -> impl Iterator<Item = ServerNotification> {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::sync::mpsc::unbounded_channel;
    use tool_core::provider::Cached;
    use tool_core::{DynamicTool, Operation, Output, Registry, Tool, ToolDefinition};

    use super::*;
    use crate::captured_log::CapturedLog;
    use crate::server::Server;

    /// Returns a list of one tool.
    fn one_tool() -> Vec<Arc<dyn Tool>> {
        let definition =
            ToolDefinition::builder("ping", "Answers.").operation(Operation::Read).build().unwrap();
        vec![Arc::new(DynamicTool::new(definition, |_, _: Value| async { Ok(Output::empty()) }))]
    }

    #[tokio::test(start_paused = true)]
    async fn a_refreshed_cache_notifies_only_of_other_tools() {
        let (changes, has_tool) = (Changes::new(), Arc::new(AtomicBool::new(false)));
        let (notifier, is_added) = (changes.clone(), Arc::clone(&has_tool));
        let list = move || if is_added.load(Ordering::Relaxed) { one_tool() } else { Vec::new() };
        let hour = Duration::from_secs(60 * 60);
        let cached =
            Cached::new(hour, list).stale_while_revalidate(hour).on_change(move || notifier.notify());
        let (sender, mut messages) = unbounded_channel();
        let messages = futures_util::stream::poll_fn(move |context| messages.poll_recv(context));
        tokio::spawn(for_each(messages, move |()| cached.refresh()));
        let mut receiver = changes.receiver();
        let steps =
            [("the first list", false), ("connected again", false), ("another tool", true), ("again", false)];
        for (step, is_other) in steps {
            has_tool.fetch_or(is_other, Ordering::Relaxed);
            sender.send(()).unwrap();
            sleep(DEBOUNCE).await;
            assert_eq!(receiver.has_changed().unwrap(), is_other, "{step}");
            receiver.mark_unchanged();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn row_83_drops_a_subscriber_that_never_reads() {
        let log = CapturedLog::default();
        let _logging = tracing::subscriber::set_default(log.subscriber());
        let changes = Changes::new();
        let registry = Registry::builder().allow_empty().build().unwrap();
        let handler = Server::new(registry).changes(&changes).checked_handler(None).await.unwrap();

        // A few notifications fill the buffer.
        let (client_end, server_end) = tokio::io::duplex(512);
        let (reader, writer) = tokio::io::split(server_end);
        let serving = tokio::spawn(crate::stdio::speak(handler, None, reader, writer));
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
            assert!(started.elapsed() < 3 * SEND_TIMEOUT, "it is still subscribed");
            changes.notify();
            tokio::time::sleep(DEBOUNCE).await;
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
