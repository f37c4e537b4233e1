//! Checking arguments, and calling tools with them.

use std::time::Instant;

use axum::response::Response;
use tool_core::{FailureKind, Registry, Reply};

use crate::asking::{Asking, listed};
use crate::refusal::Refusal;
use crate::{answer, query};

/// `POST /tools/{name}/validate`: runs nothing, and so works while execution is off.
pub(crate) async fn validate(mut asking: Asking) -> Result<Response, Refusal> {
    let viewer = asking.viewer().await?;
    let name = asking.name().await?;
    let tools = asking.tools(viewer).await?;
    let tool = listed(&tools, &name)?;
    query::none(&asking.head.uri)?;
    let arguments = asking.arguments().await?;
    Ok(answer::validated(tools.validate_limited(tool.name(), &arguments).await))
}

/// `POST /tools/{name}/call`.
///
/// When the client goes away this future is dropped, and with it a call that modifies nothing; the registry drives a
/// modifying one to its end.
pub(crate) async fn call(mut asking: Asking) -> Result<Response, Refusal> {
    if !asking.api.options().allow_execute {
        // Before anything is told about the tool.
        return Err(Refusal::ExecutionOff);
    }
    let caller = asking.caller().await?;
    let name = asking.name().await?;
    let tools = asking.tools(caller).await?;
    let _held = asking.api.hold(&tools);
    let tools = asking.calling(&tools);
    if is_refused(&tools, &name) {
        // Whatever the arguments are: they need not even be read, and the attempt is on record.
        return Ok(answer::called(&invoke(&tools, &name, b"").await));
    }
    query::none(&asking.head.uri)?;
    let arguments = asking.arguments().await?;
    Ok(answer::called(&invoke(&tools, &name, &arguments).await))
}

/// Whether a call is refused for good: there is no such tool for the caller, or it may not call it. What a tool requires
/// may be there the next moment, and is looked at when the call is made.
fn is_refused(tools: &Registry, name: &str) -> bool {
    tools.check_access(name).is_err_and(|failure| failure.kind() != FailureKind::Unmet)
}

/// Makes the call, traces it and counts it.
async fn invoke(tools: &Registry, name: &str, arguments: &[u8]) -> Reply {
    // What a client makes up is not counted: there would be no end to it.
    let known = tools.get(name).map_or("", |tool| tool.name()).to_owned();
    tracing::Span::current().record("tool", &*known);
    let began = Instant::now();
    let reply = tools.invoke(name, arguments).await;
    tracing::Span::current().record("call_id", tracing::field::display(reply.call_id));
    let outcome =
        reply.result.as_ref().map_or_else(|failure| failure.kind().codes().error_type, |_| "success");
    metrics::counter!("tool_http_calls_total", "tool" => known.clone(), "outcome" => outcome).increment(1);
    metrics::histogram!("tool_http_call_duration_seconds", "tool" => known)
        .record(began.elapsed().as_secs_f64());
    reply
}
