//! A session with one server: the handshake, lists of tools, calls and subscriptions.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientCapabilities, ClientConfig,
    ClientRequest, ErrorCode, ErrorData, Implementation, JsonObject, ListToolsRequest,
    PaginatedRequestParams, ProtocolVersion, RequestId, RequestMetaObject, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, PeerRequestOptions,
    RequestHandle, RunningService, ServiceError, Subscription,
};
use rmcp::transport::Transport;
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tracing::Span;
use tracing::field::display;

use crate::upstream::http;
use crate::upstream::inbox::{Inbox, ProgressReceiver};
use crate::upstream::intercepted_transport::InterceptedTransport;
use crate::upstream::message::{UNREADABLE, UNREADABLE_TOOLS, UnreadableTool};
use crate::upstream::process::{Process, SpawnedProcess};
use crate::upstream::settings::Upstream;
use crate::upstream::stderr;
use crate::upstream::stdio::StdioTransport;
use crate::upstream::text::truncate;
use crate::upstream::transport_config::TransportConfig;

/// The maximum number of tools of one server.
const MAX_TOOLS: usize = 10_000;

/// The maximum size of a list as JSON.
const MAX_LIST_BYTES: usize = 64 << 20;

/// The maximum number of pages of a list.
const MAX_PAGES: usize = 1_000;

/// How long closing a connection may take: longer than a process has to end after SIGTERM.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum length of an error message of a server, in characters.
const MAX_ERROR_CHARS: usize = 2_000;

/// An established session.
pub(super) struct ClientSession {
    peer: Peer<RoleClient>,
    service: tokio::sync::Mutex<RunningService<RoleClient, MinimalHandler>>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) identity: Option<String>,
    pub(super) protocol: Option<String>,
    /// Whether the server notifies only subscribers that its list has changed.
    pub(super) needs_subscription: bool,
    has_tools: bool,
    running_calls: AtomicUsize,
}

/// The reason why a list could not be read.
pub(super) struct ListError {
    pub(super) message: String,
    /// Whether the server responded, so that the session can be used further.
    pub(super) connected: bool,
}

/// A client without capabilities: a server cannot send requests, because the callers of its tools are not connected to
/// it.
#[derive(Debug)]
struct MinimalHandler;

impl ClientHandler for MinimalHandler {
    fn get_info(&self) -> ClientConfig {
        let identity = Implementation::new("tool-mcp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), identity)
    }
}

/// A list of tools as a server sent it.
pub(super) struct RawToolList {
    pub(super) tools: Vec<Value>,
    pub(super) unreadable: Vec<UnreadableTool>,
    /// How long the list is fresh, according to the server.
    pub(super) fresh_for: Option<Duration>,
    bytes: usize,
}

impl ClientSession {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// A reason that may be shown to callers.
    pub(super) async fn connect(upstream: &Upstream) -> Result<Self, String> {
        let inbox = Arc::new(Inbox::default());
        let limit = upstream.message_limit;
        match &upstream.transport {
            TransportConfig::Stdio(config) => {
                let SpawnedProcess { process, stdin, stdout, stderr } =
                    Process::spawn(config).map_err(|error| format!("it cannot be started: {error}"))?;
                stderr::log_lines(&upstream.name, stderr, upstream.secrets());
                let transport =
                    StdioTransport::new(Some(process), (stdin, stdout), limit, Arc::clone(&inbox));
                Self::handshake(transport, inbox).await
            }
            TransportConfig::Http(config) => {
                #[cfg(feature = "upstream-oauth")]
                if let Some(account) = &config.account {
                    return Self::handshake(http::authorized_transport(config, account, limit)?, inbox).await;
                }
                Self::handshake(http::transport(config, limit)?, inbox).await
            }
        }
    }

    /// Connects over an open transport. Its messages are recorded in the inbox.
    ///
    /// # Errors
    ///
    /// A reason that may be shown to callers.
    pub(super) async fn handshake(
        transport: impl Transport<RoleClient> + 'static,
        inbox: Arc<Inbox>,
    ) -> Result<Self, String> {
        let transport = InterceptedTransport::new(transport, Arc::clone(&inbox));
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        };
        let service = MinimalHandler.serve_with_lifecycle(transport, lifecycle).await;
        let service = service.map_err(|error| describe_handshake_error(&error, &inbox))?;
        let peer = service.peer().clone();
        let info = peer.peer_info();
        let tools = info.as_ref().and_then(|info| info.capabilities.tools.clone());
        let is_modern = info.as_ref().is_some_and(|info| !info.protocol_version.has_initialize());
        let list_changes = tools.as_ref().and_then(|tools| tools.list_changed) == Some(true);
        Ok(ClientSession {
            service: tokio::sync::Mutex::new(service),
            inbox,
            identity: info.as_ref().and_then(|info| info.server_info.as_ref()).map(name_and_version),
            protocol: info.map(|info| info.protocol_version.as_str().to_owned()),
            needs_subscription: is_modern && list_changes,
            has_tools: tools.is_some(),
            running_calls: AtomicUsize::new(0),
            peer,
        })
    }

    /// Reads all pages of the list of tools.
    pub(super) async fn list_tools(&self) -> Result<RawToolList, ListError> {
        let invalid = |message: String| ListError { message, connected: true };

        let mut list = RawToolList { tools: Vec::new(), unreadable: Vec::new(), fresh_for: None, bytes: 0 };
        let (mut cursor, mut seen) = (None, HashSet::new());
        for _ in 0..MAX_PAGES {
            let mut request = ListToolsRequest::default();
            if let Some(cursor) = cursor.take() {
                request.params = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
            }
            let page = match self.request(ClientRequest::ListToolsRequest(request)).await {
                Ok(ServerResult::ListToolsResult(page)) => {
                    serde_json::to_value(page).map_err(|error| invalid(error.to_string()))?
                }
                // A tool of the page is malformed. The conversion to definitions finds it.
                Ok(ServerResult::CustomResult(result)) if result.0["tools"].is_array() => result.0,
                Ok(_) => {
                    return Err(invalid("its response to `tools/list` has an unexpected type".to_owned()));
                }
                Err(ServiceError::McpError(error))
                    if error.code == ErrorCode::METHOD_NOT_FOUND && !self.has_tools =>
                {
                    return Ok(list);
                }
                Err(error) => {
                    let message = format!("`tools/list` failed: {}", self.describe_error(&error).0);
                    let connected = matches!(error, ServiceError::McpError(_));
                    return Err(ListError { message, connected });
                }
            };
            cursor = list.add_page(page).map_err(invalid)?;
            match &cursor {
                None => return Ok(list),
                Some(cursor) if !seen.insert(cursor.clone()) => {
                    return Err(invalid(
                        "its list of tools does not end: it leads back to a page before".to_owned(),
                    ));
                }
                Some(_) => {}
            }
        }
        Err(invalid(format!("its list of tools does not end: it has more than {MAX_PAGES} pages")))
    }

    /// Subscribes to changes of the list, if the server notifies only subscribers.
    pub(super) async fn subscribe(&self) -> Option<Subscription> {
        if !self.needs_subscription {
            return None;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        self.peer
            .listen(filter)
            .await
            .inspect_err(|error| tracing::debug!(%error, "cannot subscribe to an upstream server"))
            .ok()
    }

    /// Sends a call.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        traceparent: Option<String>,
    ) -> Result<PendingCall, ServiceError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = CallToolRequest::new(params);
        let mut options = PeerRequestOptions::no_options();
        if let Some(traceparent) = traceparent {
            let mut meta = RequestMetaObject::default();
            meta.set_traceparent(&traceparent);
            options = options.with_meta(meta);
        }
        // Delays writing the call until its progress is received.
        let _lock = self.inbox.send_lock.lock().await;
        let handle =
            self.peer.send_request_with_option(ClientRequest::CallToolRequest(request), options).await?;
        Span::current().record("jsonrpc.request.id", display(&handle.id));
        let progress = self.inbox.receive_progress(handle.progress_token.clone());
        Ok(PendingCall { request: PendingRequest::new(handle), progress })
    }

    /// Counts a call as running until the guard is dropped.
    pub(super) fn count_call(&self) -> impl Drop + Send + '_ {
        struct CallGuard<'s>(&'s AtomicUsize);
        impl Drop for CallGuard<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::AcqRel);
            }
        }
        self.running_calls.fetch_add(1, Ordering::AcqRel);
        CallGuard(&self.running_calls)
    }

    /// Returns `true` while a call is running.
    pub(super) fn is_busy(&self) -> bool {
        self.running_calls.load(Ordering::Acquire) > 0
    }

    /// Returns a message without addresses, and `true` if the request was certainly not executed.
    pub(super) fn describe_error(&self, error: &ServiceError) -> (String, bool) {
        match error {
            ServiceError::McpError(error) => (describe_rpc_error(error), error.code != UNREADABLE),
            ServiceError::TransportSend(error) => http::describe_error(error),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                (self.inbox.close_reason().to_owned(), false)
            }
            ServiceError::UnexpectedResponse => ("its response has an unexpected type".to_owned(), false),
            other => (other.to_string(), false),
        }
    }

    /// Closes the connection, and waits until it is closed or [`CLOSE_TIMEOUT`] has passed.
    pub(super) async fn close(&self) {
        self.inbox.close("the connection was closed");
        let mut service = self.service.lock().await;
        if let Err(error) = service.close_with_timeout(CLOSE_TIMEOUT).await {
            tracing::debug!(%error, "cannot close the connection to an upstream server cleanly");
        }
    }

    async fn request(&self, request: ClientRequest) -> Result<ServerResult, ServiceError> {
        let handle = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        PendingRequest::new(handle).response().await
    }
}

impl RawToolList {
    /// Adds the tools of a page, and returns the cursor of the next one.
    fn add_page(&mut self, mut page: Value) -> Result<Option<String>, String> {
        let Value::Array(tools) = page["tools"].take() else { return Ok(None) };
        let unreadable = page["_meta"][UNREADABLE_TOOLS].take();
        self.bytes += approximate_size(&unreadable);
        self.unreadable.extend(serde_json::from_value::<Vec<_>>(unreadable).unwrap_or_default());
        // Cursors are kept too, in order to detect a cycle.
        self.bytes +=
            tools.iter().map(approximate_size).sum::<usize>() + approximate_size(&page["nextCursor"]);
        if self.bytes > MAX_LIST_BYTES {
            return Err(format!("its list of tools has more than {MAX_LIST_BYTES} bytes"));
        }
        self.tools.extend(tools);
        if self.tools.len() + self.unreadable.len() > MAX_TOOLS {
            return Err(format!("its list of tools does not end: it has more than {MAX_TOOLS}"));
        }
        let fresh_for = page["ttlMs"].as_u64().map(Duration::from_millis);
        self.fresh_for = [self.fresh_for, fresh_for].into_iter().flatten().min();
        Ok(page["nextCursor"].as_str().filter(|cursor| !cursor.is_empty()).map(str::to_owned))
    }
}

/// Returns the approximate size of a value as JSON.
fn approximate_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(approximate_size).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + approximate_size(value) + 4).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

/// A call that was sent.
pub(super) struct PendingCall {
    pub(super) request: PendingRequest,
    pub(super) progress: ProgressReceiver,
}

/// A request that was sent. Canceled if it is dropped before the response.
pub(super) struct PendingRequest {
    handle: RequestHandle<RoleClient>,
    /// `None` after the response.
    id: Option<RequestId>,
}

impl PendingRequest {
    fn new(handle: RequestHandle<RoleClient>) -> Self {
        PendingRequest { id: Some(handle.id.clone()), handle }
    }

    /// Waits for the response. Cancel safe.
    pub(super) async fn response(&mut self) -> Result<ServerResult, ServiceError> {
        let response = (&mut self.handle.rx).await;
        self.id = None;
        response.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else { return };
        let peer = self.handle.peer.clone();
        runtime.spawn(async move {
            let reason = Some("the caller no longer waits for the response".to_owned());
            let params = CancelledNotificationParam::new(Some(id), reason);
            // The end of the connection has already canceled the request.
            let _ = peer.notify_cancelled(params).await;
        });
    }
}

/// Returns the reason why the handshake failed.
fn describe_handshake_error(error: &ClientInitializeError, inbox: &Inbox) -> String {
    if inbox.closed.is_cancelled() && !matches!(error, ClientInitializeError::TransportError { .. }) {
        return inbox.close_reason().to_owned();
    }
    match error {
        // The pipe breaks a moment before the inbox has the reason.
        ClientInitializeError::TransportError { error, .. } => http::describe_error(error).0,
        ClientInitializeError::JsonRpcError(error) => {
            format!("it rejected the handshake: {}", describe_rpc_error(error))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).collect();
            format!("it supports only other protocol versions: {}", versions.join(", "))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            describe_handshake_error(fallback, inbox)
        }
        _ => "its handshake violates the protocol".to_owned(),
    }
}

/// Returns the message of a JSON-RPC error of the server or the transport.
fn describe_rpc_error(error: &ErrorData) -> String {
    match error.code {
        UNREADABLE => format!("it answered with {}", error.message),
        code => format!("{} ({})", truncate(&error.message, MAX_ERROR_CHARS), code.0),
    }
}

fn name_and_version(server: &Implementation) -> String {
    truncate(&format!("{} {}", server.name, server.version), 200)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
    use tool_core::Registry;

    use super::*;
    use crate::server::Server;

    /// A transport that cannot be closed.
    struct Stuck<T>(T);

    impl<T: Transport<RoleClient>> Transport<RoleClient> for Stuck<T> {
        type Error = T::Error;

        fn send(
            &mut self,
            message: ClientJsonRpcMessage,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            self.0.send(message)
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            self.0.receive().await
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            pending().await
        }
    }

    #[tokio::test(start_paused = true)]
    async fn gives_up_on_a_connection_that_cannot_be_closed() {
        let registry = Registry::builder().allow_empty().build().unwrap();
        let handler = Server::new(registry).checked_handler(None).await.unwrap();
        let (client_end, server_end) = tokio::io::duplex(4_096);
        let (reader, writer) = tokio::io::split(server_end);
        tokio::spawn(crate::stdio::speak(handler, None, reader, writer));
        let (stdout, stdin) = tokio::io::split(client_end);
        let inbox = Arc::new(Inbox::default());
        let transport = StdioTransport::new(None, (stdin, stdout), 1 << 20, Arc::clone(&inbox));
        let session = ClientSession::handshake(Stuck(transport), inbox).await.unwrap();
        let closed = tokio::time::timeout(Duration::from_secs(60), session.close()).await;
        assert!(closed.is_ok(), "the program would not stop");
    }
}
