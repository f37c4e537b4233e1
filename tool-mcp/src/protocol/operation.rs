//! The span and the duration of a request, by OpenTelemetry's semantic conventions for MCP.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Instant;

use metrics::Label;
use rmcp::model::{ErrorCode, ProtocolVersion, RequestId};
use serde_json::Value;
use tool_core::{FailureKind, TraceParent, adapter};
use tool_serve::DurationHistogram;
use tracing::Span;
use tracing::field::Empty;

use crate::protocol::errors::shortened;
use crate::protocol::message::Params;
use crate::protocol::session::Session;

static DURATION: DurationHistogram = DurationHistogram::new(
    "mcp.server.operation.duration",
    "MCP request or notification duration as observed on the receiver from the time it was received until the \
     result or ack is sent.",
);

/// The methods of requests. A request of one of them needs a session or `_meta`; all others have one label in metrics, so that clients
/// cannot create labels.
pub(super) const METHODS: &[&str] = &[
    "tools/call",
    "tools/list",
    "initialize",
    "ping",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "server/discover",
    "subscriptions/listen",
    #[cfg(feature = "tasks")]
    "tasks/get",
    #[cfg(feature = "tasks")]
    "tasks/update",
    #[cfg(feature = "tasks")]
    "tasks/cancel",
];

const OTHER_METHOD: &str = "_OTHER";

/// What a request asks for, and how it comes.
pub(super) struct OperationStart<'r> {
    pub(super) id: &'r RequestId,
    pub(super) method: &'r str,
    pub(super) params: &'r Params,
    pub(super) version: Option<&'r ProtocolVersion>,
    pub(super) session: Option<&'r Session>,
    pub(super) trace: Option<TraceParent>,
    pub(super) is_http: bool,
}

/// A request that is being answered. Its duration is recorded when it is dropped.
pub(crate) struct Operation {
    pub(crate) span: Span,
    pub(crate) method: &'static str,
    version: Option<&'static str>,
    is_http: bool,
    /// The name of the tool or prompt, if it exists.
    target: OnceLock<String>,
    /// `None` until there is a response.
    outcome: OnceLock<Outcome>,
    began: Instant,
}

#[derive(Clone, Copy)]
enum Outcome {
    Success,
    /// A result with `isError`.
    ToolError,
    RpcError(ErrorCode),
}

impl Operation {
    pub(super) fn begin(start: &OperationStart<'_>) -> Self {
        let &OperationStart { id, params, session, trace, is_http, .. } = start;
        let method = METHODS.iter().copied().find(|method| *method == start.method).unwrap_or(OTHER_METHOD);
        let version = start.version.and_then(version_label);
        // At the level of errors, so that log lines of any level are inside this span. Empty fields are recorded later.
        let span = tracing::error_span!(
            "mcp",
            otel.name = method,
            otel.kind = "server",
            otel.status_code = Empty,
            otel.status_description = Empty,
            mcp.method.name = method,
            mcp.protocol.version = version,
            mcp.session.id = session.and_then(|session| session.digest.as_deref()),
            mcp.resource.uri = resource_uri(params).map(shortened).as_deref(),
            jsonrpc.request.id = &*shortened(&id.to_string()),
            network.transport = transport(is_http),
            network.protocol.name = is_http.then_some("http"),
            gen_ai.operation.name = (method == "tools/call").then_some("execute_tool"),
            gen_ai.tool.name = Empty,
            gen_ai.prompt.name = Empty,
            rpc.response.status_code = Empty,
            error.type = Empty,
        );
        adapter::set_parent(&span, trace);
        let (target, outcome) = (OnceLock::new(), OnceLock::new());
        Operation { span, method, version, is_http, target, outcome, began: Instant::now() }
    }

    /// Returns the span to answer the request in. It is none for a request that names a tool or a prompt: its answer begins outside
    /// of the span, since the name of a span cannot change after it was entered.
    pub(super) fn span_of_method(&self) -> Span {
        if matches!(self.method, "tools/call" | "prompts/get") { Span::none() } else { self.span.clone() }
    }

    /// Records the tool or prompt that the request names, which exists. The span must not be entered yet.
    pub(crate) fn set_target(&self, name: &str) {
        if !self.span.is_disabled() {
            self.span.record("otel.name", format!("{} {name}", self.method));
            self.span.record(self.target_field(), name);
        }
        let _ = self.target.set(name.to_owned());
    }

    fn target_field(&self) -> &'static str {
        if self.method == "prompts/get" { "gen_ai.prompt.name" } else { "gen_ai.tool.name" }
    }

    /// Records that the response is a result.
    pub(super) fn succeed(&self) {
        let _ = self.outcome.set(Outcome::Success);
    }

    /// Records that the response is a result with `isError`.
    pub(crate) fn fail_tool(&self) {
        let _ = self.outcome.set(Outcome::ToolError);
    }

    /// Records that the response is a JSON-RPC error.
    pub(super) fn fail(&self, code: ErrorCode, message: &str) {
        if !self.span.is_disabled() && is_fault(code) {
            // The description first would be replaced.
            self.span.record("otel.status_code", "ERROR");
            self.span.record("otel.status_description", &*shortened(message));
        }
        let _ = self.outcome.set(Outcome::RpcError(code));
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        let code = match self.outcome.get() {
            Some(Outcome::RpcError(code)) => Some(*code),
            _ => None,
        };
        let error: Option<Cow<'static, str>> = match self.outcome.get() {
            Some(Outcome::Success) => None,
            Some(Outcome::ToolError) => Some("tool_error".into()),
            Some(Outcome::RpcError(code)) => is_fault(*code).then(|| code.0.to_string().into()),
            // It ends when its client leaves.
            None if self.method == "subscriptions/listen" => None,
            None => Some(FailureKind::Cancelled.codes().error_type.into()),
        };
        if !self.span.is_disabled() {
            self.span.record("rpc.response.status_code", code.map(|code| code.0.to_string()));
            if let Some(error) = &error {
                self.span.record("error.type", &**error);
                if code.is_none() {
                    self.span.record("otel.status_code", "ERROR");
                }
            }
        }
        DURATION.record_since(self.began, || {
            let target = self.target.take().map(|name| Label::new(self.target_field(), name));
            let operation = (self.method == "tools/call").then_some("execute_tool");
            let labels = [
                Some(Label::new("mcp.method.name", self.method)),
                Some(Label::new("network.transport", transport(self.is_http))),
                self.is_http.then(|| Label::new("network.protocol.name", "http")),
                self.version.map(|version| Label::new("mcp.protocol.version", version)),
                operation.map(|operation| Label::new("gen_ai.operation.name", operation)),
                target,
                code.map(|code| Label::new("rpc.response.status_code", code.0.to_string())),
                error.map(|error| Label::new("error.type", error)),
            ];
            labels.into_iter().flatten().collect()
        });
    }
}

fn transport(is_http: bool) -> &'static str {
    if is_http { "tcp" } else { "pipe" }
}

/// Returns the label of a version. Unsupported ones have none: clients would choose it.
fn version_label(version: &ProtocolVersion) -> Option<&'static str> {
    ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .find(|supported| *supported == version)
        .map(ProtocolVersion::as_str)
}

/// Returns the URI of a request for a resource.
fn resource_uri(params: &Params) -> Option<&str> {
    match params {
        Params::Other(params) => params.get("uri").and_then(Value::as_str),
        _ => None,
    }
}

/// Returns `true` for an error of the server. The others say that the client asked for what cannot be.
fn is_fault(code: ErrorCode) -> bool {
    !matches!(
        code,
        ErrorCode::PARSE_ERROR
            | ErrorCode::INVALID_REQUEST
            | ErrorCode::METHOD_NOT_FOUND
            | ErrorCode::INVALID_PARAMS
            | ErrorCode::RESOURCE_NOT_FOUND
            | ErrorCode::HEADER_MISMATCH
            | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captured_log::CapturedLog;

    /// Returns the fields of the span of a request at its end.
    fn fields(method: &str, end: impl FnOnce(&Operation)) -> String {
        let log = CapturedLog::default();
        tracing::subscriber::with_default(log.subscriber(), || {
            let (id, params) = (RequestId::Number(1), Params::List { cursor: None });
            let (version, session, trace) = (None, None, None);
            let start =
                OperationStart { id: &id, method, params: &params, version, session, trace, is_http: true };
            let operation = Operation::begin(&start);
            let span = operation.span.clone();
            end(&operation);
            drop(operation);
            span.in_scope(|| tracing::warn!("ended"));
        });
        log.text()
    }

    #[test]
    fn records_errors_of_the_server_only() {
        let error = |code: i32| format!(r#"error.type="{code}""#);
        let status = |code: i32| format!(r#"rpc.response.status_code="{code}""#);
        let is_error = r#"otel.status_code="ERROR""#;
        for (code, is_fault) in
            [(-32603, true), (-32000, true), (-32602, false), (-32601, false), (-32700, false)]
        {
            let fields = fields("tools/call", |operation| operation.fail(ErrorCode(code), "it is lost"));
            assert!(fields.contains(&status(code)), "{fields}");
            for part in [&*error(code), is_error, r#"otel.status_description="it is lost""#] {
                assert_eq!(fields.contains(part), is_fault, "{part}: {fields}");
            }
        }
        for (method, end, kind) in [
            ("tools/call", Operation::succeed as fn(&Operation), None),
            ("tools/call", Operation::fail_tool, Some("tool_error")),
            ("tools/call", |_| {}, Some("cancelled")),
            // It ends when its client leaves.
            ("subscriptions/listen", |_| {}, None),
        ] {
            let fields = fields(method, end);
            assert!(!fields.contains("rpc.response.status_code"), "{fields}");
            assert_eq!(fields.contains(is_error), kind.is_some(), "{fields}");
            let kind = kind.map_or_else(|| "error.type".to_owned(), |kind| format!(r#"error.type="{kind}""#));
            assert_eq!(fields.contains(&kind), fields.contains(is_error), "{fields}");
        }
    }

    /// The identifier is up to the client, and must not look like another line of the log.
    #[test]
    fn logs_a_request_within_one_line() {
        let log = CapturedLog::default();
        tracing::subscriber::with_default(log.subscriber(), || {
            let id = RequestId::String("a\n2026-03-10 ERROR forged".into());
            let params = Params::List { cursor: None };
            let (method, version, session, trace) = ("tools/list", None, None, None);
            let start =
                OperationStart { id: &id, method, params: &params, version, session, trace, is_http: true };
            Operation::begin(&start).span.in_scope(|| tracing::warn!("inside"));
        });
        let log = log.text();
        assert_eq!(log.lines().count(), 1, "{log}");
        assert!(log.contains(r#"jsonrpc.request.id="a\n2026-03-10 ERROR forged""#), "{log}");
    }
}
