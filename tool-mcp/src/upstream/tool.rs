//! A tool of another server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorCode, JsonObject, ProgressNotificationParam, ServerResult};
use rmcp::service::ServiceError;
use serde_json::value::RawValue;
use tool_core::failure::Reason;
use tool_core::{BoxFuture, Context, Failure, FailureKind, Output, Tool, ToolDefinition};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::upstream::connection::UpstreamConnection;
use crate::upstream::error::UpstreamUnavailable;
use crate::upstream::http;
use crate::upstream::message::UNREADABLE;
use crate::upstream::result::call_output;
use crate::upstream::session::{ClientSession, PendingCall};

/// A modifying call keeps running after its timeout. It is canceled after this many timeouts: calls that a server never
/// answers must not fill the memory.
pub(super) const MAX_TIMEOUTS: u32 = 10;

/// A tool whose calls are forwarded to its server.
pub(super) struct UpstreamTool {
    pub(super) definition: ToolDefinition,
    /// The name of the tool on its server.
    pub(super) remote_name: String,
    pub(super) connection: Arc<UpstreamConnection>,
}

/// Records the error of a call in its span.
fn record_error(error: &str) {
    let span = Span::current();
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}

fn record_failure(failure: &Failure) {
    record_error(failure.kind().codes().error_type);
}

impl Tool for UpstreamTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn call<'a>(
        &'a self,
        context: Context,
        arguments: &'a RawValue,
    ) -> BoxFuture<'a, Result<Output, Failure>> {
        Box::pin(self.run(context, arguments))
    }
}

impl UpstreamTool {
    async fn run(&self, context: Context, arguments: &RawValue) -> Result<Output, Failure> {
        let session = self.connection.session().map_err(|error| unavailable(&error))?;
        let arguments: JsonObject = serde_json::from_str(arguments.get()).map_err(|error| {
            tracing::error!(gen_ai.tool.name = self.definition.name(), %error, "validated arguments are not a JSON object");
            Failure::internal()
        })?;
        let _guard = session.count_call();
        let span = self.span(&session);
        self.send(&session, arguments, &context).instrument(span).await
    }

    /// Sends a call and waits for its output, inside of the span of the call.
    async fn send(
        &self,
        session: &ClientSession,
        arguments: JsonObject,
        context: &Context,
    ) -> Result<Output, Failure> {
        // The position of the span, which is the parent of what the server does.
        let traceparent = context.traceparent().map(|trace| trace.to_string());
        let response = match session.call(&self.remote_name, arguments, traceparent).await {
            Ok(call) => self.wait(call, context).await.inspect_err(record_failure)?,
            Err(error) => Err(error),
        };
        match response {
            Ok(response) => call_output(self.connection.name(), &self.definition, response)
                .inspect_err(|_| record_error("tool_error")),
            Err(error) => {
                let failure = self.failure(session, &error);
                match &error {
                    ServiceError::McpError(error) if error.code != UNREADABLE => {
                        let code = error.code.0.to_string();
                        Span::current().record("rpc.response.status_code", &*code);
                        record_error(&code);
                    }
                    _ => record_failure(&failure),
                }
                Err(failure)
            }
        }
    }

    /// Creates the span of a call, by OpenTelemetry's conventions for clients of MCP.
    fn span(&self, session: &ClientSession) -> Span {
        let method = "tools/call";
        let tool = &*self.remote_name;
        let is_http = self.connection.upstream.transport.is_http();
        tracing::error_span!(
            "mcp_client",
            otel.name = %format_args!("{method} {tool}"),
            otel.kind = "client",
            otel.status_code = Empty,
            mcp.method.name = method,
            mcp.protocol.version = session.protocol.as_deref(),
            jsonrpc.request.id = Empty,
            network.transport = if is_http { "tcp" } else { "pipe" },
            network.protocol.name = is_http.then_some("http"),
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = tool,
            rpc.response.status_code = Empty,
            error.type = Empty,
        )
    }

    /// Waits for the response, and forwards progress notifications until then.
    async fn wait(
        &self,
        mut call: PendingCall,
        context: &Context,
    ) -> Result<Result<ServerResult, ServiceError>, Failure> {
        let timeout = self.definition.timeout().unwrap_or(Duration::from_secs(60));
        let mut deadline = std::pin::pin!(tokio::time::sleep(timeout.saturating_mul(MAX_TIMEOUTS)));
        let mut scale = ProgressScale::default();
        loop {
            tokio::select! {
                biased;
                Some(progress) = call.progress.notifications.recv() => scale.forward(&progress, context),
                response = call.request.response() => return Ok(response),
                () = &mut deadline => {
                    tracing::warn!(gen_ai.tool.name = self.definition.name(), "canceling a call that was never answered");
                    self.connection.request_refresh();
                    let server = self.connection.name();
                    let message = format!("server `{server}` never answered `{}`", self.definition.name());
                    return Err(Failure::new(FailureKind::Timeout, message).with_retryable(false));
                }
            }
        }
    }

    /// Converts the error of a call.
    fn failure(&self, session: &ClientSession, error: &ServiceError) -> Failure {
        let (server, name) = (self.connection.name(), self.definition.name());
        if let ServiceError::McpError(error) = error
            && error.code == UNREADABLE
        {
            let message = format!("server `{server}` answered `{name}` with {}", error.message);
            return Failure::new(FailureKind::Failed(Reason::Other), message);
        }
        let (reason, not_executed) = session.describe_error(error);
        if let ServiceError::McpError(error) = error {
            if matches!(error.code, ErrorCode::METHOD_NOT_FOUND | ErrorCode::INVALID_PARAMS) {
                // The tool may have changed.
                self.connection.request_refresh();
            }
            let message = format!("server `{server}` refused `{name}`: {reason}");
            return Failure::new(FailureKind::Failed(Reason::Other), message);
        }
        if let ServiceError::TransportSend(error) = error
            && let Some(scopes) = http::missing_scopes(error)
        {
            return self.denied(&scopes);
        }
        self.connection.request_refresh();
        let message = format!("server `{server}` did not answer `{name}`: {reason}");
        let failure = Failure::new(FailureKind::Failed(Reason::Unavailable), message);
        // A modifying call that may have been executed is not repeated automatically.
        failure.with_retryable(not_executed || !self.definition.modifies())
    }

    /// Returns the failure of a call that the server denied for the lack of scopes.
    fn denied(&self, scopes: &[String]) -> Failure {
        let (server, name) = (self.connection.name(), self.definition.name());
        let needs = match scopes {
            [] => "it needs further scopes, which the server does not name".to_owned(),
            [scope] => format!("it needs the scope `{scope}`"),
            scopes => format!("it needs the scopes {}", http::quoted(scopes)),
        };
        let how = self.connection.upstream.how_to_sign_in(scopes).map(|how| format!(": {how}"));
        let message = format!("server `{server}` denied `{name}`: {needs}{}", how.unwrap_or_default());
        Failure::new(FailureKind::Denied, message)
    }
}

/// Returns the failure of a call to an unavailable server.
fn unavailable(error: &UpstreamUnavailable) -> Failure {
    let message = format!("server `{}` is {}", error.server, error.state);
    Failure::new(FailureKind::Failed(Reason::Unavailable), message).with_retryable(true)
}

/// Converts the progress of one call to integers.
#[derive(Debug, Default)]
struct ProgressScale {
    /// Whether progress is reported in percent; set by the first notification.
    percent: Option<bool>,
}

impl ProgressScale {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float out of range saturates"
    )]
    fn forward(&mut self, progress: &ProgressNotificationParam, context: &Context) {
        let total = progress.total.filter(|total| total.is_finite() && *total > 0.0);
        // Progress with a total of at most 1, or with a fractional total, is not counted in whole steps.
        let percent =
            *self.percent.get_or_insert(total.is_some_and(|total| total <= 1.0 || total.fract() != 0.0));
        let message = progress.message.as_deref().unwrap_or_default();
        match (percent, total) {
            (true, Some(total)) => {
                context.progress((progress.progress / total * 100.0).round() as u64, 100, message);
            }
            _ => context.progress(progress.progress as u64, total.map(|total| total as u64), message),
        }
    }
}
