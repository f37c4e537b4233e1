//! A request on its way to its answer: who sends it, and which tools there are for that caller.

use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use axum::http::request::Parts;
use bytes::Bytes;
use tool_core::{Extensions, Principal, Registry, ToolDefinition};

use crate::refusal::Refusal;
use crate::router::Api;
use crate::{arguments, identity};

/// A request to one of the routes. It is lent to one at a time, because a body is not `Sync`.
pub(crate) struct Asking {
    pub(crate) api: Api,
    pub(crate) head: Parts,
    body: Body,
}

impl Asking {
    pub(crate) fn new(api: Api, request: Request) -> Self {
        let (head, body) = request.into_parts();
        Asking { api, head, body }
    }

    /// Who looks for tools: anybody, unless discovery is protected.
    pub(crate) async fn viewer(&mut self) -> Result<Principal, Refusal> {
        if !self.is_private() {
            return Ok(Principal::anonymous());
        }
        identity::of(self.api.options(), &self.head).await?.ok_or_else(Refusal::unauthorized)
    }

    /// Who calls: nobody known where nobody is asked.
    pub(crate) async fn caller(&mut self) -> Result<Principal, Refusal> {
        Ok(identity::of(self.api.options(), &self.head).await?.unwrap_or_else(Principal::anonymous))
    }

    /// Whether what is answered is meant for this caller alone.
    pub(crate) fn is_private(&self) -> bool {
        self.api.options().protect_discovery
    }

    /// The tools that there are now, as this caller sees them. This is the one place where the provider is asked.
    pub(crate) async fn tools(&mut self, caller: Principal) -> Result<Registry, Refusal> {
        Ok(self.api.tools().await?.as_principal(caller))
    }

    /// The tools with which a call is made: with what the layers of the application have put into the request.
    pub(crate) fn calling(&mut self, tools: &Registry) -> Registry {
        // A header that is no trace is as none (W3C Trace Context, section 2.3).
        let trace = self.head.headers.get("traceparent").and_then(|trace| trace.to_str().ok()?.parse().ok());
        let tools = tools.with_extensions(Extensions::from(std::mem::take(&mut self.head.extensions)));
        match trace {
            Some(trace) => tools.traced(trace),
            None => tools,
        }
    }

    /// The name of a tool in the path, decoded once.
    ///
    /// The prefix that the router is nested under may have variables of its own, even one of this name: the last counts.
    pub(crate) async fn name(&mut self) -> Result<String, Refusal> {
        let variables = RawPathParams::from_request_parts(&mut self.head, &()).await;
        let variables = variables.map_err(|_| Refusal::NameNotText)?;
        let name = variables.iter().filter(|(variable, _)| *variable == "name").last();
        name.map(|(_, name)| name.to_owned()).ok_or(Refusal::NoRoute)
    }

    /// The arguments in the body.
    pub(crate) async fn arguments(self) -> Result<Bytes, Refusal> {
        arguments::read(&self.head.headers, self.body, self.api.options()).await
    }
}

/// The tool of this name that is listed for the caller.
pub(crate) fn listed<'r>(tools: &'r Registry, name: &str) -> Result<&'r ToolDefinition, Refusal> {
    let tool = tools.get(name).ok_or_else(|| Refusal::ToolNotFound(name.to_owned()))?;
    tracing::Span::current().record("tool", tool.name());
    Ok(tool)
}
