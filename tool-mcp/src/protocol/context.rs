//! What a request carries beside its parameters.

use std::sync::{Arc, OnceLock};

use rmcp::model::{CacheScope, ProgressToken, RequestId};
use serde_json::Value;
use tool_core::logging::LogLevel;
use tool_core::{
    Extensions, Failure, FailureKind, Output, Principal, Prompt, Registry, TraceParent, adapter,
};

use crate::elicitation::Capabilities;
use crate::protocol::era::Era;
use crate::protocol::errors::{RpcResult, invalid_params};
use crate::protocol::message::{Meta, Params};
use crate::protocol::operation::{Operation, OperationStart};
use crate::protocol::outbox::Outbox;
use crate::protocol::param_headers::ParamHeaders;
use crate::protocol::session::Session;

/// The most characters that an idempotency key may have.
const MOST_KEY: usize = 255;

/// The sender of a request over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) principal: Principal,
    /// Whether callers are distinguished: then only this one may cache responses.
    pub(crate) is_distinguished: bool,
}

/// The client of a request, and where messages about the request go.
pub(crate) struct RequestContext {
    pub(crate) id: RequestId,
    pub(crate) era: Era,
    pub(crate) capabilities: Capabilities,
    /// `None` over stdio, where there is one client.
    pub(crate) caller: Option<Caller>,
    /// The extensions that the layers of the application have put into the request.
    pub(crate) extensions: Option<Extensions>,
    /// The headers that repeat arguments, if the version of the request has them.
    pub(crate) param_headers: Option<ParamHeaders>,
    pub(crate) trace: Option<TraceParent>,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The least severe level that the client gets; `None` for no messages.
    pub(crate) log_level: Option<LogLevel>,
    idempotency_key: Option<Value>,
    /// The stream of the request.
    pub(crate) outbox: Outbox,
    /// `None` for a request without a session.
    pub(crate) session: Option<Arc<Session>>,
    /// The permissions that the call needs, if the caller lacks one of them.
    pub(crate) lacks: OnceLock<Vec<String>>,
    /// The span and the duration of the request.
    pub(crate) operation: Operation,
}

/// Where a request comes from.
pub(crate) struct Origin {
    pub(crate) caller: Option<Caller>,
    pub(crate) extensions: Option<Extensions>,
    /// The headers that repeat arguments, if the version of the request has them.
    pub(crate) param_headers: Option<ParamHeaders>,
    pub(crate) trace: Option<TraceParent>,
    /// The stream of the request.
    pub(crate) outbox: Outbox,
    pub(crate) session: Option<Arc<Session>>,
}

impl RequestContext {
    pub(crate) fn new(id: RequestId, method: &str, meta: &Meta, params: &Params, origin: Origin) -> Self {
        let Origin { caller, extensions, param_headers, trace, outbox, session } = origin;
        let client = session.as_ref().and_then(|session| session.client());
        let era = meta.version.clone().map(Era::of);
        let era = era.or_else(|| client.as_ref().map(|client| client.era.clone())).unwrap_or_default();
        let capabilities = meta.capabilities.or(client.map(|client| client.capabilities)).unwrap_or_default();
        let log_level = if era.is_modern() {
            meta.log_level
        } else {
            session.as_ref().map(|session| session.log_level())
        };
        let trace = meta.traceparent.or(trace);
        let operation = Operation::begin(&OperationStart {
            id: &id,
            method,
            params,
            version: era.version(),
            session: session.as_deref(),
            trace,
            is_http: caller.is_some(),
        });
        RequestContext {
            id,
            era,
            capabilities,
            caller,
            extensions,
            param_headers,
            trace,
            progress_token: meta.progress_token.clone(),
            log_level,
            idempotency_key: meta.idempotency_key.clone(),
            outbox,
            session,
            lacks: OnceLock::new(),
            operation,
        }
    }

    /// Records the permissions that the call of a tool needs, if it was denied since the caller lacks one of them.
    pub(crate) fn record_denial(&self, registry: &Registry, name: &str, result: &Result<Output, Failure>) {
        if is_denied(result) {
            self.record(adapter::lacks(registry, name));
        }
    }

    /// Records the permissions that a prompt needs, if it was denied since the caller lacks one of them.
    pub(crate) fn record_prompt_denial(
        &self,
        registry: &Registry,
        name: &str,
        result: &Result<Prompt, Failure>,
    ) {
        if is_denied(result) {
            self.record(adapter::prompt_lacks(registry, name));
        }
    }

    fn record(&self, lacks: Option<Vec<&str>>) {
        if let Some(lacks) = lacks {
            let _ = self.lacks.set(lacks.into_iter().map(str::to_owned).collect());
        }
    }

    /// Returns the idempotency key of a call.
    ///
    /// # Errors
    ///
    /// When it is not a text of 1 to 255 printable ASCII characters.
    pub(crate) fn idempotency_key(&self) -> RpcResult<Option<&str>> {
        let is_key = |key: &&str| {
            (1..=MOST_KEY).contains(&key.len()) && key.bytes().all(|b| (0x20..0x7f).contains(&b))
        };
        match &self.idempotency_key {
            None => Ok(None),
            Some(key) => key.as_str().filter(is_key).map(Some).ok_or_else(|| {
                invalid_params(format!(
                    "`tool-core/idempotencyKey` must be a string of 1 to {MOST_KEY} printable ASCII characters"
                ))
            }),
        }
    }

    /// Returns the principal of the caller; `None` over stdio.
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.caller.as_ref().map(|caller| &caller.principal)
    }

    /// Returns who may cache a response that does not depend on the caller, unless callers are distinguished. Over stdio it
    /// depends on the permissions of the local user.
    pub(crate) fn scope(&self) -> CacheScope {
        match &self.caller {
            Some(caller) if !caller.is_distinguished => CacheScope::Public,
            _ => CacheScope::Private,
        }
    }

    /// Returns the stream for log messages: in a session that of the session.
    pub(crate) fn log_outbox(&self) -> &Outbox {
        match &self.session {
            Some(session) if !self.era.is_modern() => &session.outbox,
            _ => &self.outbox,
        }
    }
}

fn is_denied<T>(result: &Result<T, Failure>) -> bool {
    result.as_ref().is_err_and(|failure| failure.kind() == FailureKind::Denied)
}
