//! Who sends a request over HTTP.

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::CacheScope;
use rmcp::service::RequestContext;
use tool_core::Principal;

/// Whoever sends a request, found out before anything else and carried in its head.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) principal: Principal,
    /// Whether callers are told apart: what is answered is then meant for this one alone.
    pub(crate) told_apart: bool,
}

impl Caller {
    /// Who sent a request; `None` over stdio, where there is one client.
    pub(crate) fn of(cx: &RequestContext<RoleServer>) -> Option<&Caller> {
        cx.extensions.get::<Parts>()?.extensions.get()
    }

    /// Whom an answer may be kept for that is one and the same for all who are not told apart. Over stdio it depends on
    /// what the application grants to whoever started it.
    pub(crate) fn scope(cx: &RequestContext<RoleServer>) -> CacheScope {
        Caller::of(cx).map_or(CacheScope::Private, Caller::whose)
    }

    /// The same for this caller.
    pub(crate) fn whose(&self) -> CacheScope {
        if self.told_apart { CacheScope::Private } else { CacheScope::Public }
    }
}
