//! A connection to one server, and what is asked over it.

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

use crate::upstream::child::{Process, Started};
use crate::upstream::http;
use crate::upstream::inbox::{Inbox, Reports};
use crate::upstream::message::{LEFT_OUT, UNREADABLE, UnreadableTool};
use crate::upstream::pipe::Pipe;
use crate::upstream::settings::{Upstream, Way};
use crate::upstream::stderr;
use crate::upstream::watched::Watched;

/// So many tools one server may have.
const MOST_TOOLS: usize = 10_000;

/// So much a list may take as JSON.
const MOST_BYTES: usize = 64 << 20;

/// So many pages a list may have.
const MOST_PAGES: usize = 1_000;

/// An established connection.
pub(super) struct Session {
    peer: Peer<RoleClient>,
    running: tokio::sync::Mutex<RunningService<RoleClient, Caller>>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) identity: Option<String>,
    pub(super) protocol: Option<String>,
    /// Changes of the list are told to whoever listens for them, and to nobody else.
    pub(super) must_listen: bool,
    has_tools: bool,
    /// How many calls are on their way.
    running_calls: AtomicUsize,
}

/// Why there is no list.
pub(super) struct Refusal {
    pub(super) why: String,
    /// Whether the server answered, and the connection is good.
    pub(super) connected: bool,
}

/// What we say we are. We can be asked for nothing: whoever could answer is not our user.
#[derive(Debug)]
struct Caller;

impl ClientHandler for Caller {
    fn get_info(&self) -> ClientConfig {
        let identity = Implementation::new("tool-mcp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), identity)
    }
}

/// A list as it came.
pub(super) struct Listed {
    pub(super) tools: Vec<Value>,
    /// The tools that it cannot be served with.
    pub(super) left_out: Vec<UnreadableTool>,
    /// How long the server says that it is good.
    pub(super) fresh_for: Option<Duration>,
    bytes: usize,
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    ///
    /// Why not, in words that a caller may see.
    pub(super) async fn connect(upstream: &Upstream) -> Result<Self, String> {
        let inbox = Arc::new(Inbox::default());
        match &upstream.way {
            Way::Program(program) => {
                let started = Process::start(program);
                let Started { process, stdin, stdout, stderr } =
                    started.map_err(|error| format!("it cannot be started: {error}"))?;
                stderr::follow(&upstream.name, stderr, upstream.secrets());
                let limit = upstream.message_limit;
                Self::greet(Pipe::new(process, (stdin, stdout), limit, Arc::clone(&inbox)), inbox).await
            }
            Way::Url(address) => Self::greet(http::transport(address, upstream.message_limit)?, inbox).await,
        }
    }

    async fn greet(
        transport: impl Transport<RoleClient> + 'static,
        inbox: Arc<Inbox>,
    ) -> Result<Self, String> {
        let watched = Watched::new(transport, Arc::clone(&inbox));
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        };
        let running = Caller.serve_with_lifecycle(watched, lifecycle).await;
        let running = running.map_err(|error| ungreeted(&error, &inbox))?;
        let peer = running.peer().clone();
        let info = peer.peer_info();
        let tools = info.as_ref().and_then(|info| info.capabilities.tools.clone());
        let modern = info.as_ref().is_some_and(|info| !info.protocol_version.has_initialize());
        let changes = tools.as_ref().and_then(|tools| tools.list_changed) == Some(true);
        Ok(Session {
            running: tokio::sync::Mutex::new(running),
            inbox,
            identity: info.as_ref().and_then(|info| info.server_info.as_ref()).map(shown),
            protocol: info.map(|info| info.protocol_version.as_str().to_owned()),
            must_listen: modern && changes,
            has_tools: tools.is_some(),
            running_calls: AtomicUsize::new(0),
            peer,
        })
    }

    /// Reads every page of the list.
    pub(super) async fn list(&self) -> Result<Listed, Refusal> {
        let answered = |why: String| Refusal { why, connected: true };

        let mut listed = Listed { tools: Vec::new(), left_out: Vec::new(), fresh_for: None, bytes: 0 };
        let (mut cursor, mut seen) = (None, HashSet::new());
        for _ in 0..MOST_PAGES {
            let mut request = ListToolsRequest::default();
            if let Some(cursor) = cursor.take() {
                request.params = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
            }
            let answer = self.ask(ClientRequest::ListToolsRequest(request)).await;
            let page = match answer {
                Ok(ServerResult::ListToolsResult(list)) => {
                    serde_json::to_value(list).map_err(|error| answered(error.to_string()))?
                }
                // One of its tools is malformed: which one is found out later.
                Ok(ServerResult::CustomResult(result)) if result.0["tools"].is_array() => result.0,
                Ok(_) => return Err(answered("it answered `tools/list` with something else".to_owned())),
                Err(ServiceError::McpError(error))
                    if error.code == ErrorCode::METHOD_NOT_FOUND && !self.has_tools =>
                {
                    return Ok(listed);
                }
                Err(error) => {
                    let connected = matches!(error, ServiceError::McpError(_));
                    return Err(Refusal {
                        why: format!("`tools/list` failed: {}", self.told(&error).0),
                        connected,
                    });
                }
            };
            listed.take(page, &mut cursor).map_err(answered)?;
            match &cursor {
                None => return Ok(listed),
                Some(cursor) if !seen.insert(cursor.clone()) => {
                    return Err(answered(
                        "its list of tools does not end: it leads back to a page before".to_owned(),
                    ));
                }
                Some(_) => {}
            }
        }
        Err(answered(format!("its list of tools does not end: it has more than {MOST_PAGES} pages")))
    }

    /// Listens for changes of the list, where nobody is told who does not.
    pub(super) async fn listen(&self) -> Option<Subscription> {
        if !self.must_listen {
            return None;
        }
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        self.peer
            .listen(filter)
            .await
            .inspect_err(|error| tracing::debug!(%error, "a server does not let us listen"))
            .ok()
    }

    /// Sends a call.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        traceparent: Option<String>,
    ) -> Result<Calling, ServiceError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = CallToolRequest::new(params);
        let mut options = PeerRequestOptions::no_options();
        if let Some(traceparent) = traceparent {
            let mut meta = RequestMetaObject::default();
            meta.set_traceparent(&traceparent);
            options = options.with_meta(meta);
        }
        // Written only when its reports are expected.
        let _gate = self.inbox.gate.lock().await;
        let handle =
            self.peer.send_request_with_option(ClientRequest::CallToolRequest(request), options).await?;
        let reports = self.inbox.reports(handle.progress_token.clone());
        Ok(Calling { asked: Asked::new(handle), reports })
    }

    /// Counts a call until the guard is dropped.
    pub(super) fn running(&self) -> impl Drop + Send + '_ {
        struct Running<'s>(&'s AtomicUsize);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::AcqRel);
            }
        }
        self.running_calls.fetch_add(1, Ordering::AcqRel);
        Running(&self.running_calls)
    }

    /// Whether a call is on its way.
    pub(super) fn is_busy(&self) -> bool {
        self.running_calls.load(Ordering::Acquire) > 0
    }

    /// What went wrong, in words without addresses, and whether the server cannot have heard of it.
    pub(super) fn told(&self, error: &ServiceError) -> (String, bool) {
        match error {
            ServiceError::McpError(error) => (in_words(error), error.code != UNREADABLE),
            ServiceError::TransportSend(error) => http::told(error),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                (self.inbox.why().to_owned(), false)
            }
            ServiceError::UnexpectedResponse => ("its answer is not what was asked for".to_owned(), false),
            other => (other.to_string(), false),
        }
    }

    /// Ends the connection, and waits until it has ended.
    pub(super) async fn close(&self) {
        self.inbox.close("the connection was closed");
        let mut running = self.running.lock().await;
        if let Err(error) = running.close().await {
            tracing::debug!(%error, "a connection did not end well");
        }
    }

    async fn ask(&self, request: ClientRequest) -> Result<ServerResult, ServiceError> {
        let handle = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await?;
        Asked::new(handle).answer().await
    }
}

impl Listed {
    /// Takes in a page, and where the next one is.
    fn take(&mut self, mut page: Value, cursor: &mut Option<String>) -> Result<(), String> {
        let Value::Array(tools) = page["tools"].take() else { return Ok(()) };
        let left_out = page["_meta"][LEFT_OUT].take();
        self.bytes += size(&left_out);
        self.left_out.extend(serde_json::from_value::<Vec<_>>(left_out).unwrap_or_default());
        // What leads on is remembered too.
        self.bytes += tools.iter().map(size).sum::<usize>() + size(&page["nextCursor"]);
        if self.bytes > MOST_BYTES {
            return Err(format!("its list of tools has more than {MOST_BYTES} bytes"));
        }
        self.tools.extend(tools);
        if self.tools.len() + self.left_out.len() > MOST_TOOLS {
            return Err(format!("its list of tools does not end: it has more than {MOST_TOOLS}"));
        }
        let fresh_for = page["ttlMs"].as_u64().map(Duration::from_millis);
        self.fresh_for = [self.fresh_for, fresh_for].into_iter().flatten().min();
        *cursor = page["nextCursor"].as_str().filter(|cursor| !cursor.is_empty()).map(str::to_owned);
        Ok(())
    }
}

/// What a value takes as JSON, roughly.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(members) => {
            members.iter().map(|(name, value)| name.len() + size(value) + 4).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

/// A call that was sent.
pub(super) struct Calling {
    pub(super) asked: Asked,
    pub(super) reports: Reports,
}

/// A request whose answer is waited for. Dropped before it has come, the request is taken back.
pub(super) struct Asked {
    handle: RequestHandle<RoleClient>,
    id: Option<RequestId>,
}

impl Asked {
    fn new(handle: RequestHandle<RoleClient>) -> Self {
        Asked { id: Some(handle.id.clone()), handle }
    }

    /// The answer. It may be asked for again when this was dropped, until it was given.
    pub(super) async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        let answer = (&mut self.handle.rx).await;
        self.id = None;
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else { return };
        let peer = self.handle.peer.clone();
        runtime.spawn(async move {
            let reason = Some("nobody waits for it any more".to_owned());
            let params = CancelledNotificationParam::new(Some(id), reason);
            // A connection that has ended has taken it back already.
            let _ = peer.notify_cancelled(params).await;
        });
    }
}

/// Why no connection came about.
fn ungreeted(error: &ClientInitializeError, inbox: &Inbox) -> String {
    if inbox.closed.is_cancelled() && !matches!(error, ClientInitializeError::TransportError { .. }) {
        return inbox.why().to_owned();
    }
    match error {
        ClientInitializeError::TransportError { error, .. } => {
            // The pipe breaks a moment before it is known why.
            http::told(error).0
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refused to begin: {}", in_words(error))
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<&str> = server_supported.iter().map(ProtocolVersion::as_str).collect();
            format!("it speaks no version of the protocol that we do, but {}", versions.join(", "))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => ungreeted(fallback, inbox),
        _ => "it did not begin as the protocol says".to_owned(),
    }
}

/// An error of the protocol, as the server or its transport put it.
fn in_words(error: &ErrorData) -> String {
    match error.code {
        UNREADABLE => format!("it answered with {}", error.message),
        code => format!("{} ({})", short(&error.message), code.0),
    }
}

/// The words of a server, no more of them than anybody reads.
pub(super) fn short(text: &str) -> String {
    text.chars().take(2_000).collect()
}

fn shown(identity: &Implementation) -> String {
    format!("{} {}", identity.name, identity.version).chars().take(200).collect()
}
