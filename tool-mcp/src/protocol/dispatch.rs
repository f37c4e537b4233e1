//! From a request to its response: one dispatcher for both eras and both transports.

use std::future::ready;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, ProtocolVersion, ServerResult};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use tool_core::BoxFuture;
use tool_core::logging::LogLevel;
use tracing::Instrument as _;

use crate::elicitation::Round;
use crate::handlers::Handler;
use crate::logging;
use crate::protocol::context::{Origin, RequestContext};
use crate::protocol::message::{Message, Meta, Params, REQUIRED, RpcRequest};
use crate::protocol::operation::METHODS;
use crate::protocol::response::RpcResponse;
use crate::protocol::{RpcResult, Session, invalid_params, legacy_refused, method_not_found};

impl Handler {
    /// Begins to answer a request. Changes to its session are made before this returns.
    pub(crate) fn answer(
        self: &Arc<Self>,
        request: RpcRequest,
        origin: Origin,
    ) -> BoxFuture<'static, RpcResponse> {
        let opens_session = request.opens_session();
        let RpcRequest { id, method, meta, params } = request;
        let cx = RequestContext::new(id, &method, &meta, &params, origin);
        let settings = &self.views.settings;
        let admitted = match opens_session {
            _ if settings.modern_only && is_legacy(&meta) => Err(legacy_refused(settings.versions())),
            true => Ok(true),
            false => admit(&method, &meta, &cx),
        };
        let is_legacy = match admitted {
            Ok(is_legacy) => is_legacy,
            Err(error) => return Box::pin(ready(RpcResponse::error(error, &cx))),
        };
        if opens_session || method == "logging/setLevel" {
            let response = self.change_session(&method, &params, is_legacy, &cx);
            let response = response.unwrap_or_else(|error| RpcResponse::error(error, &cx));
            cx.operation.succeed();
            return Box::pin(ready(response));
        }
        let handler = Arc::clone(self);
        let span = cx.operation.span_of_method();
        let answering = async move {
            let reply = handler.reply(&method, &params, is_legacy, &cx).await;
            let response = reply.unwrap_or_else(|error| RpcResponse::error(error, &cx));
            // Does nothing after an error.
            cx.operation.succeed();
            RpcResponse { lacks: cx.lacks.into_inner().unwrap_or_default(), ..response }
        };
        Box::pin(answering.instrument(span))
    }

    /// Handles a notification or a response from the client of a session. Returns `false` for a response to no open request.
    pub(crate) fn receive(&self, message: Message, session: &Arc<Session>) -> bool {
        match message {
            Message::Notification { method, params } => match method.as_str() {
                "notifications/cancelled" => session.cancel(&params),
                "notifications/initialized" => self.initialized(session),
                _ => {}
            },
            Message::Response { id, result } => return session.server_requests.answer(id.as_ref(), result),
            Message::Request(_) => {}
        }
        true
    }

    /// Answers a request that changes its session.
    fn change_session(
        &self,
        method: &str,
        params: &Params,
        is_legacy: bool,
        cx: &RequestContext,
    ) -> RpcResult<RpcResponse> {
        let Some(session) = cx.session.as_ref().filter(|_| is_legacy) else {
            return Err(method_not_found(method));
        };
        let params = object(params)?;
        if method == "initialize" {
            return self.initialize(params.clone(), session).map(|result| RpcResponse::of(result, cx));
        }
        let level = params.get("level").and_then(Value::as_str);
        let Some(level) = level.and_then(logging::level) else {
            let names = LogLevel::ALL.map(|level| format!("`{level}`")).join(", ");
            return Err(invalid_params(format!("`level` must be one of {names}")));
        };
        session.set_log_level(level);
        Ok(RpcResponse::of(ServerResult::empty(()), cx))
    }

    async fn reply(
        &self,
        method: &str,
        params: &Params,
        is_legacy: bool,
        cx: &RequestContext,
    ) -> RpcResult<RpcResponse> {
        // The futures of rare methods are boxed: the others would be as large.
        let result = match (method, params) {
            ("tools/list", Params::List { cursor }) => return self.tools(cursor.as_deref(), cx).await,
            ("tools/call", Params::Call(params)) => return self.call_tool(params, cx).await,
            ("resources/list", Params::List { cursor }) => {
                return self.resources(cursor.as_deref(), cx).await;
            }
            ("resources/templates/list", Params::List { cursor }) => {
                return self.resource_templates(cursor.as_deref(), cx).await;
            }
            ("prompts/list", Params::List { cursor }) => return self.prompts(cursor.as_deref(), cx).await,
            ("resources/read", params) => {
                let params = object(params)?;
                Box::pin(self.read(uri(params)?, Round::of_params(params)?, cx)).await?.into()
            }
            ("prompts/get", params) => {
                let params = object(params)?;
                let name = params.get("name").and_then(Value::as_str);
                let arguments = match params.get("arguments") {
                    None | Some(Value::Null) => Some(None),
                    Some(Value::Object(arguments)) => Some(Some(arguments.clone())),
                    Some(_) => None,
                };
                let (Some(name), Some(arguments)) = (name, arguments) else {
                    return Err(invalid_params(INVALID_CALL));
                };
                Box::pin(self.prompt(name, arguments, Round::of_params(params)?, cx)).await?.into()
            }
            ("completion/complete", params) => {
                let params = CompleteRequestParams::deserialize(object(params)?)
                    .map_err(|_| invalid_params(COMPLETE))?;
                self.completion(&params, cx).await?.into()
            }
            ("server/discover", _) => self.discover(cx).await.into(),
            #[cfg(feature = "tasks")]
            ("tasks/get" | "tasks/update" | "tasks/cancel", params) if !is_legacy => {
                return Box::pin(self.task_request(method, object(params)?, cx)).await;
            }
            ("ping", _) if is_legacy => ServerResult::empty(()),
            (method @ ("resources/subscribe" | "resources/unsubscribe"), params)
                if is_legacy && self.updates.is_some() =>
            {
                let params = object(params)?;
                self.subscribe(uri(params)?, method == "resources/subscribe", cx).await?;
                ServerResult::empty(())
            }
            ("subscriptions/listen", params) if !is_legacy => {
                Box::pin(self.listen(object(params)?, cx)).await?.into()
            }
            (method, _) => return Err(method_not_found(method)),
        };
        Ok(RpcResponse::of(result, cx))
    }
}

pub(crate) const INVALID_CALL: &str = "`name` must be a string and `arguments` an object";

const COMPLETE: &str = "`ref` must be a `ref/prompt` with a `name` or a `ref/resource` with a `uri`, and `argument` \
                        must have a `name` and a `value`";

/// Returns `true` if a request does not name a version without sessions.
fn is_legacy(meta: &Meta) -> bool {
    meta.version.as_ref().is_none_or(ProtocolVersion::has_initialize)
}

/// Returns whether a request follows the rules before 2026-07-28.
///
/// # Errors
///
/// When its version is unknown, or when it has neither a session nor the `_meta` that replaces one.
fn admit(method: &str, meta: &Meta, cx: &RequestContext) -> RpcResult<bool> {
    let has_session = cx.session.as_ref().is_some_and(|session| session.client().is_some());
    if meta.version.is_none() && !has_session && METHODS.contains(&method) && method != "ping" {
        let keys = REQUIRED.join("` and `");
        return Err(invalid_params(format!(
            "the request needs `{keys}` in its `_meta`, or a session: send `initialize` first"
        )));
    }
    let supported = ProtocolVersion::KNOWN_VERSIONS;
    if let Some(version) = meta.version.as_ref().filter(|version| !supported.contains(version)) {
        return Err(ErrorData::unsupported_protocol_version(version.clone(), supported));
    }
    let needs_meta = method == "server/discover" || meta.version.is_some() && cx.era.is_modern();
    let missing = meta.missing();
    if needs_meta && !missing.is_empty() {
        let missing = missing.join(", ");
        let message = format!("request _meta is missing or has malformed required fields: {missing}");
        return Err(invalid_params(message));
    }
    Ok(!needs_meta && !cx.era.is_modern())
}

fn object(params: &Params) -> RpcResult<&Map<String, Value>> {
    match params {
        Params::Other(params) => Ok(params),
        _ => Err(invalid_params("`params` must be an object")),
    }
}

fn uri(params: &Map<String, Value>) -> RpcResult<&str> {
    params.get("uri").and_then(Value::as_str).ok_or_else(|| invalid_params("`uri` must be a string"))
}
