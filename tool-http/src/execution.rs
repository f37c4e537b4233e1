//! The routes that validate arguments and call tools.

use std::time::Instant;

use axum::http::header::ALLOW;
use axum::http::{HeaderValue, Method, Uri};
use axum::response::{IntoResponse as _, Response};
use metrics::Label;
use tool_core::address::Variables;
use tool_core::schema::NativeSchema;
use tool_core::{CallOptions, FailureKind, Operation, Principal, Registry, Reply, ToolDefinition, adapter};
use tool_serve::DurationHistogram;
use tracing::Span;
use tracing::field::display;

use crate::error::ApiError;
use crate::idempotency_key::idempotency_key;
use crate::in_flight::CallGuard;
use crate::request_context::{RequestContext, find_tool, tool_not_found};
use crate::request_filter::is_for_foreign_page;
#[cfg(feature = "tasks")]
use crate::tasks::TaskRequest;
use crate::{bare_output, call_events, query, response};

static DURATION: DurationHistogram =
    DurationHistogram::new("gen_ai.execute_tool.duration", "The duration of a single tool execution.");

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
    let Call { tools, name, options, guard } = Call::begin(&mut context).await?;
    let is_bare = bare_output::is_preferred(&context.head.headers);
    let respond = |reply: &Reply| {
        if is_bare {
            response::bare_response(reply).map(preferred)
        } else {
            Ok(response::call_response(reply))
        }
    };
    if is_denied(&tools, &name) {
        // Denied whatever the arguments are, so they are not read; the attempt is logged.
        let response = respond(&invoke(&tools, &name, b"", &options).await)?;
        return Ok(context.challenged(response, &tools, &name));
    }
    query::expect_empty(&context.head.uri)?;
    let key = idempotency_key(&context.head.headers)?;
    #[cfg(feature = "tasks")]
    if let Some(task) = TaskRequest::of(&tools, &name, &context.head.headers, key.as_deref()) {
        let arguments = context.arguments().await?;
        return task.respond(&tools, &name, &arguments).await;
    }
    if key.is_some() && tools.get(&name).is_some_and(ToolDefinition::modifies) {
        return Err(ApiError::IdempotencyKeyUnsupported(name));
    }
    let accepted = call_events::preferred(&context.head.headers);
    let arguments = context.arguments().await?;
    if let Some(accepted) = accepted {
        let call = async move |options: CallOptions| {
            let _guard = guard;
            invoke(&tools, &name, &arguments, &options).await
        };
        return call_events::respond(call, options, accepted).await;
    }
    respond(&invoke(&tools, &name, &arguments, &options).await)
}

/// `GET /tools/{name}/result`: the bare output of a tool that only reads, with the arguments in the query.
pub(crate) async fn result(mut context: RequestContext) -> Result<Response, ApiError> {
    check_site(&context)?;
    let call = Call::begin(&mut context).await?;
    read(&mut context, call, query::pairs).await
}

/// Any other path: the bare output of the tool that has this [address](tool_core::address), with its arguments in the path, by
/// `GET`.
pub(crate) async fn result_at(mut context: RequestContext) -> Result<Response, ApiError> {
    if !context.api.options().allow_execute {
        // Nothing can be read, so there is nothing at any path.
        return Err(ApiError::RouteNotFound);
    }
    let Addressed { tools, name, values, refusal } = Addressed::find(&mut context).await?;
    if !matches!(context.head.method, Method::GET | Method::HEAD) {
        return Ok(([(ALLOW, "GET,HEAD")], ApiError::MethodNotAllowed).into_response());
    }
    check_site(&context)?;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let call = Call::new(&mut context, tools, name);
    read(&mut context, call, |uri| {
        query::expect_empty(uri)?;
        values.map_err(|error| ApiError::InvalidAddress(error.to_string()))
    })
    .await
}

/// The tool whose address the path is, and which the caller can see.
struct Addressed {
    tools: Registry,
    name: String,
    /// The values of the variables.
    values: Variables,
    /// Why the caller may not call it, but see it as everybody does.
    refusal: Option<ApiError>,
}

impl Addressed {
    async fn find(context: &mut RequestContext) -> Result<Self, ApiError> {
        let (caller, refusal) = match context.caller().await {
            Ok(caller) => (caller, None),
            Err(error) if context.is_protected() => return Err(error),
            Err(error) => (Principal::anonymous(), Some(error)),
        };
        let tools = context.tools(caller).await?;
        let path = context.head.uri.path();
        let path = path.strip_prefix('/').unwrap_or(path);
        let (tool, values) = adapter::tool_at(&tools, path).ok_or(ApiError::RouteNotFound)?;
        let name = tool.name().to_owned();
        Ok(Addressed { tools, name, values, refusal })
    }
}

/// Checks that the request is not made by a page of another site, which must not decide what runs here.
fn check_site(context: &RequestContext) -> Result<(), ApiError> {
    if is_for_foreign_page(&context.head.headers) { Err(ApiError::CrossSite) } else { Ok(()) }
}

/// Runs a tool that only reads, with these values of its inputs, and responds with its bare output.
async fn read(
    context: &mut RequestContext,
    call: Call,
    values: impl FnOnce(&Uri) -> Result<Vec<(String, String)>, ApiError>,
) -> Result<Response, ApiError> {
    let Call { tools, name, options, guard: _guard } = call;
    if is_denied(&tools, &name) {
        let response = response::bare_response(&invoke(&tools, &name, b"", &options).await)?;
        return Ok(context.challenged(response, &tools, &name));
    }
    // The call records its name.
    let tool = tools.get(&name).ok_or_else(|| tool_not_found(&tools, &name))?;
    check_readable(tool)?;
    let arguments = adapter::arguments_of_query(tool, &values(&context.head.uri)?);
    let reply = invoke(&tools, &name, arguments.as_bytes(), &options.full_results()).await;
    let Ok(output) = &reply.result else { return response::bare_response(&reply) };
    let mut response = context.respond(&bare_output::representation(output)?);
    context.cache_control().apply_to_result(&tools, tool, response.headers_mut());
    bare_output::mark(&mut response, reply.call_id);
    Ok(response)
}

/// A call whose arguments are not read yet.
struct Call {
    tools: Registry,
    name: String,
    options: CallOptions,
    guard: CallGuard,
}

impl Call {
    /// Begins a call of the tool that the path names.
    async fn begin(context: &mut RequestContext) -> Result<Self, ApiError> {
        if !context.api.options().allow_execute {
            // Checked first, to reveal nothing about the tool.
            return Err(ApiError::ExecutionDisabled);
        }
        let caller = context.caller().await?;
        let name = context.tool_name().await?;
        let tools = context.tools(caller).await?;
        Ok(Call::new(context, tools, name))
    }

    fn new(context: &mut RequestContext, tools: Registry, name: String) -> Self {
        let guard = context.api.track_call(&tools);
        Call { tools, name, options: context.call_options(), guard }
    }
}

/// Checks that a tool only reads, and that its arguments may be in a URL, which browsers and servers keep.
pub(crate) fn check_readable(tool: &ToolDefinition) -> Result<(), ApiError> {
    let reason = if !matches!(tool.operation(), Some(Operation::Explain | Operation::Read)) {
        format!("`{}` does more than read", tool.name())
    } else if let Some(secret) = secret_input(tool.inputs()) {
        format!("the secret input `{secret}` of `{}` must not be in a URL", tool.name())
    } else {
        return Ok(());
    };
    Err(ApiError::NotReadable { tool: tool.name().to_owned(), reason })
}

/// Returns the name of an input that is or has a secret.
fn secret_input(inputs: &[NativeSchema]) -> Option<&str> {
    fn is_secret(schema: &NativeSchema) -> bool {
        let parts = schema.properties.iter().chain(&schema.variants).chain(schema.items.as_deref());
        schema.secret || parts.into_iter().any(is_secret)
    }
    inputs.iter().find(|input| is_secret(input))?.name.as_deref()
}

/// Says that the bare output was preferred (RFC 7240, section 3).
fn preferred(mut response: Response) -> Response {
    response.headers_mut().insert("preference-applied", HeaderValue::from_static("return=minimal"));
    response
}

/// Returns `true` if a tool does not exist for the caller, or the caller may not call it. Requirements can change at any
/// time, and are checked by the call.
fn is_denied(tools: &Registry, name: &str) -> bool {
    tools.check_access(name).is_err_and(|failure| failure.kind() != FailureKind::Unmet)
}

/// Calls the tool, with tracing and metrics.
async fn invoke(tools: &Registry, name: &str, arguments: &[u8], options: &CallOptions) -> Reply {
    let tool = tools.get(name).map(|tool| tool.name().to_owned());
    Span::current().record("gen_ai.tool.name", tool.as_deref());
    let began = Instant::now();
    let reply = tools.call_with(name, arguments, options).await;
    Span::current().record("gen_ai.tool.call.id", display(reply.call_id));
    let error = reply.result.as_ref().err().map(|failure| failure.kind().codes().error_type);
    // Unknown names are no labels: clients could create any number of them.
    DURATION.record_since(began, || {
        let tool = tool.map(|name| Label::new("gen_ai.tool.name", name));
        tool.into_iter().chain(error.map(|error| Label::new("error.type", error))).collect()
    });
    reply
}
