//! What the server knows of a request beside its parameters.

use axum::http::request::Parts;
use rmcp::model::{CacheScope, ProgressToken, RequestId};
use std::sync::Arc;
use tool_core::logging::LogLevel;
use tool_core::{Extensions, TraceParent};

use crate::caller::Caller;
use crate::elicitation::Capabilities;
use crate::protocol::era::Era;
use crate::protocol::message::Meta;
use crate::protocol::outbox::Outbox;
use crate::protocol::session::Session;

/// The header that names the trace of a request.
const TRACE: &str = "traceparent";

/// The client of a request, and where messages about it go.
#[derive(Debug)]
pub(crate) struct RequestContext {
    pub(crate) id: RequestId,
    pub(crate) era: Era,
    pub(crate) capabilities: Capabilities,
    /// `None` over stdio, where there is one client.
    pub(crate) caller: Option<Caller>,
    /// The extensions that the layers of the application have put into the request.
    pub(crate) extensions: Option<Extensions>,
    pub(crate) trace: Option<TraceParent>,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The least severe messages that the client gets; `None` for none at all.
    pub(crate) log_level: Option<LogLevel>,
    /// The stream of the request.
    pub(crate) outbox: Outbox,
    /// `None` for a request without a session.
    pub(crate) session: Option<Arc<Session>>,
}

/// Where a request comes from.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) caller: Option<Caller>,
    pub(crate) extensions: Option<Extensions>,
    pub(crate) trace: Option<TraceParent>,
    /// The stream of the request.
    pub(crate) outbox: Outbox,
    pub(crate) session: Option<Arc<Session>>,
}

impl Origin {
    /// Returns the origin of a request that came with this head.
    pub(crate) fn http(head: &Parts, outbox: Outbox, session: Option<Arc<Session>>) -> Self {
        Origin {
            caller: head.extensions.get().cloned(),
            extensions: head.extensions.get().cloned(),
            trace: head.headers.get(TRACE).and_then(|trace| trace.to_str().ok()?.parse().ok()),
            outbox,
            session,
        }
    }
}

impl RequestContext {
    pub(crate) fn new(id: RequestId, meta: &Meta, origin: Origin) -> Self {
        let Origin { caller, extensions, trace, outbox, session } = origin;
        let client = session.as_ref().and_then(|session| session.client());
        let era = meta.version.clone().map(Era::of);
        let era = era.or_else(|| client.as_ref().map(|client| client.era.clone())).unwrap_or_default();
        let declared = meta.capabilities.as_ref().map(Capabilities::declared);
        let capabilities = declared.or(client.map(|client| client.capabilities)).unwrap_or_default();
        let log_level = if era.is_modern() {
            meta.log_level
        } else {
            session.as_ref().map(|session| session.log_level())
        };
        RequestContext {
            id,
            era,
            capabilities,
            caller,
            extensions,
            trace: meta.traceparent.or(trace),
            progress_token: meta.progress_token.clone(),
            log_level,
            outbox,
            session,
        }
    }

    /// Returns who may keep an answer that is the same for all callers that are not distinguished. Over stdio it depends on
    /// what the application grants to whoever started it.
    pub(crate) fn scope(&self) -> CacheScope {
        self.caller.as_ref().map_or(CacheScope::Private, Caller::scope)
    }

    /// Returns the stream for log messages: in a session that of the session.
    pub(crate) fn log_outbox(&self) -> &Outbox {
        match &self.session {
            Some(session) if !self.era.is_modern() => &session.outbox,
            _ => &self.outbox,
        }
    }
}
