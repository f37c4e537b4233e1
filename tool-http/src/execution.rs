//! The routes that validate arguments and call tools.

use std::time::Instant;

use axum::response::Response;
use tool_core::{CallOptions, FailureKind, Registry, Reply, adapter};

use crate::error::ApiError;
use crate::request_context::{RequestContext, find_tool};
use crate::{query, response};

/// `POST /tools/{name}/validate`: runs nothing, so it works without execution.
pub(crate) async fn validate(mut context: RequestContext) -> Result<Response, ApiError> {
    let viewer = context.viewer().await?;
    let name = context.tool_name().await?;
    let tools = context.tools(viewer).await?;
    let tool = find_tool(&tools, &name)?;
    query::expect_empty(&context.head.uri)?;
    let arguments = context.arguments().await?;
    Ok(response::validation_response(adapter::validate_limited(&tools, tool.name(), &arguments).await))
}

/// `POST /tools/{name}/call`.
///
/// When the client disconnects, this future is dropped, which cancels a read-only call. The registry completes a modifying call.
pub(crate) async fn call(mut context: RequestContext) -> Result<Response, ApiError> {
    if !context.api.options().allow_execute {
        // Checked first, to reveal nothing about the tool.
        return Err(ApiError::ExecutionDisabled);
    }
    let caller = context.caller().await?;
    let name = context.tool_name().await?;
    let tools = context.tools(caller).await?;
    let _guard = context.api.track_call(&tools);
    let options = context.call_options();
    if is_denied(&tools, &name) {
        // Denied whatever the arguments are, so they are not read; the attempt is logged.
        let response = response::call_response(&invoke(&tools, &name, b"", &options).await);
        return Ok(context.challenged(response, &tools, &name));
    }
    query::expect_empty(&context.head.uri)?;
    let arguments = context.arguments().await?;
    Ok(response::call_response(&invoke(&tools, &name, &arguments, &options).await))
}

/// Returns `true` if a tool does not exist for the caller, or the caller may not call it. Requirements can change at any
/// time, and are checked by the call.
fn is_denied(tools: &Registry, name: &str) -> bool {
    tools.check_access(name).is_err_and(|failure| failure.kind() != FailureKind::Unmet)
}

/// Calls the tool, with tracing and metrics.
async fn invoke(tools: &Registry, name: &str, arguments: &[u8], options: &CallOptions) -> Reply {
    // Unknown names are not counted: clients could create any number of labels.
    let counted_name = tools.get(name).map_or("", |tool| tool.name()).to_owned();
    tracing::Span::current().record("tool", &*counted_name);
    let began = Instant::now();
    let reply = tools.call_with(name, arguments, options).await;
    tracing::Span::current().record("call_id", tracing::field::display(reply.call_id));
    let outcome =
        reply.result.as_ref().map_or_else(|failure| failure.kind().codes().error_type, |_| "success");
    metrics::counter!("tool_http_calls_total", "tool" => counted_name.clone(), "outcome" => outcome)
        .increment(1);
    metrics::histogram!("tool_http_call_duration_seconds", "tool" => counted_name)
        .record(began.elapsed().as_secs_f64());
    reply
}
