//! A request on its way to its answer: who sends it, and which tools there are for that caller.

use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawPathParams, Request};
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use tool_core::{Principal, Registry, ToolDefinition};

use crate::api::Api;
use crate::audience::Audience;
use crate::refusal::Refusal;
use crate::representation::Representation;
use crate::{arguments, identity};

/// A request to one of the routes. It is lent to one at a time, because a body is not `Sync`.
pub(crate) struct Asking {
    pub(crate) api: Api,
    pub(crate) head: Parts,
    body: Body,
    audience: Audience,
}

impl Asking {
    pub(crate) fn new(api: Api, request: Request) -> Self {
        let (head, body) = request.into_parts();
        let audience = Audience { asked: api.options().authenticator.is_some(), sole: false };
        Asking { api, head, body, audience }
    }

    /// Who looks for tools. Anybody may, unless discovery is protected; who says who it is sees what it may see, and who
    /// says so wrongly what everybody sees.
    pub(crate) async fn viewer(&mut self) -> Result<Principal, Refusal> {
        let options = self.api.options();
        let viewer = if options.protect_discovery {
            Some(identity::demanded(options, &self.head).await?)
        } else {
            identity::offered(options, &self.head).await
        };
        self.audience.sole = viewer.is_some();
        Ok(viewer.unwrap_or_else(Principal::anonymous))
    }

    /// Who calls: nobody known where nobody is asked.
    pub(crate) async fn caller(&mut self) -> Result<Principal, Refusal> {
        Ok(identity::of(self.api.options(), &self.head).await?.unwrap_or_else(Principal::anonymous))
    }

    /// For whom the answer is, once the viewer is known.
    pub(crate) fn audience(&self) -> Audience {
        self.audience
    }

    /// Whether a list holds only what the caller may call.
    pub(crate) fn is_protected(&self) -> bool {
        self.api.options().protect_discovery
    }

    /// The answer to a `GET`.
    pub(crate) fn answer(&self, representation: &Representation) -> Response {
        let mut response = representation.answer(&self.head.headers);
        self.audience.tell(response.headers_mut());
        response
    }

    /// The tools that there are now, as this caller sees them. This is the one place where the provider is asked.
    pub(crate) async fn tools(&mut self, caller: Principal) -> Result<Registry, Refusal> {
        Ok(self.api.tools().await?.as_principal(caller))
    }

    /// The tools with which a call is made: with what the layers of the application have put into the request, and what its
    /// provider has put beside the calls of its registry.
    pub(crate) fn calling(&mut self, tools: &Registry) -> Registry {
        // A header that is no trace is as none (W3C Trace Context, section 2.3).
        let trace = self.head.headers.get("traceparent").and_then(|trace| trace.to_str().ok()?.parse().ok());
        let tools = tools.layer_extensions(std::mem::take(&mut self.head.extensions).into());
        match trace {
            Some(trace) => tools.traced(trace),
            None => tools,
        }
    }

    /// The name of a tool in the path, decoded once.
    ///
    /// The prefix that the router is nested under may have variables of its own, even one of this name: the last counts.
    pub(crate) async fn name(&mut self) -> Result<String, Refusal> {
        self.variable("name").await.ok_or(Refusal::NameNotText)?.ok_or(Refusal::NoRoute)
    }

    /// The digest of a result in the path; empty for what is no text.
    pub(crate) async fn digest(&mut self) -> String {
        self.variable("digest").await.flatten().unwrap_or_default()
    }

    /// A variable of the path; `None` where there is one that is no text.
    async fn variable(&mut self, name: &str) -> Option<Option<String>> {
        let variables = RawPathParams::from_request_parts(&mut self.head, &()).await.ok()?;
        let value = variables.iter().filter(|(variable, _)| *variable == name).last();
        Some(value.map(|(_, value)| value.to_owned()))
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
