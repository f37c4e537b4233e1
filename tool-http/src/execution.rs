//! Checking arguments, and calling tools with them.

use std::time::Instant;

use axum::response::Response;
use tool_core::{CallOptions, FailureKind, Registry, Reply, adapter};

use crate::error::ApiError;
use crate::request_context::{RequestContext, find_tool};
use crate::{query, response};

/// `POST /tools/{name}/validate`: runs nothing, and so works while execution is off.
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
/// When the client goes away this future is dropped, and with it a call that modifies nothing; the registry drives a
/// modifying one to its end.
pub(crate) async fn call(mut context: RequestContext) -> Result<Response, ApiError> {
    if !context.api.options().allow_execute {
        // Before anything is told about the tool.
        return Err(ApiError::ExecutionDisabled);
    }
    let caller = context.caller().await?;
    let name = context.tool_name().await?;
    let tools = context.tools(caller).await?;
    let _guard = context.api.track_call(&tools);
    let options = context.call_options();
    if is_denied(&tools, &name) {
        // Whatever the arguments are: they need not even be read, and the attempt is on record.
        return Ok(response::call_response(&invoke(&tools, &name, b"", &options).await));
    }
    query::expect_empty(&context.head.uri)?;
    let arguments = context.arguments().await?;
    Ok(response::call_response(&invoke(&tools, &name, &arguments, &options).await))
}

/// Whether a call is refused for good: there is no such tool for the caller, or it may not call it. What a tool requires
/// may be there the next moment, and is looked at when the call is made.
fn is_denied(tools: &Registry, name: &str) -> bool {
    tools.check_access(name).is_err_and(|failure| failure.kind() != FailureKind::Unmet)
}

/// Makes the call, traces it and counts it.
async fn invoke(tools: &Registry, name: &str, arguments: &[u8], options: &CallOptions) -> Reply {
    // What a client makes up is not counted: there would be no end to it.
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
